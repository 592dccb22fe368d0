// The parameter that makes CSV open right in a spreadsheet.

import Type from "typebox";

export const ForSpreadsheet = Type.Enum(["spreadsheet"], {
  description:
    "CSV for whoever opens the file in a spreadsheet: it begins with a byte order mark, and codes such as zips have an apostrophe before them, so that they stay texts.",
});
