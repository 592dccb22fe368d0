// The program of a gateway's worker under torture: it kills itself at the step that is armed in the gateway's data folder.

import { work } from "../../src/workers/work.ts";
import { armedIn } from "./armed.ts";

const { refit, refitTraceNumbers } = armedIn(process.env.FAREGATE_DATA ?? "");
work({ refit, refitTraceNumbers });
