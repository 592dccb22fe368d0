// Before many tests: loads what most of them load, so that Node has it compiled when their processes begin, and makes the database and
// the programs that they share.

import "../../src/cli/run.ts";
import "../../src/gateway-process.ts";
import { compiled } from "../compiled.ts";
import { madeCluster, ON_CITUS } from "../database-server.ts";

const cluster = ON_CITUS ? undefined : madeCluster();
compiled("main");
await cluster;
