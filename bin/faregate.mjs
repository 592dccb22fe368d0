#!/usr/bin/env -S node --
// The command `faregate`, from wherever it is called.
import "./node-version.mjs";
import "./debugger-signal.mjs";

import("./launch.mjs").then(({ launch }) => launch("src/faregate.ts", process.argv.slice(2)));
