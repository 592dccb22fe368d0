// node bin/run.mjs <program of this project> [arguments]: installs what is missing, then runs the program under the
// Node of the project's own dependencies, whatever Node the machine has. Used by the scripts of package.json.
import "./node-version.mjs";
import "./debugger-signal.mjs";

const [target, ...rest] = process.argv.slice(2);
import("./launch.mjs").then(({ launch }) => launch(target, rest));
