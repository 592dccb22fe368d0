// A file that cannot be imported.

throw new Error("thrown at the import");
