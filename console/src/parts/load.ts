// A file of the console, asked for once more where it does not come. Chromium keeps that a script did not come until the page is loaded
// again, and answers the next `import` with it (the HTML standard forbids that since 2026); under another address it asks.

/** How Chromium and Firefox say which script did not come. WebKit names none. */
const NOT_COME = /dynamically imported module: (\S+)$/;

let times = 0;

/** @param load an `import` of a file that no other file imports: under another address it is another module */
export async function loadOrAgain<File>(load: () => Promise<File>): Promise<File> {
  try {
    return await load();
  } catch (fault) {
    const [, address] = NOT_COME.exec(String(fault)) ?? [];
    if (address === undefined) throw fault;
    return import(/* @vite-ignore */ `${address}?again=${++times}`);
  }
}
