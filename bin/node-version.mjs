// Says in words what an old Node would say in riddles. Written so that even Node 12 can read it.

const least = 20;
const found = process.versions.node;

if (Number(found.split(".")[0]) < least) {
  process.stderr.write(
    `Faregate needs Node ${least} or later to start (it then runs on a Node of its own); this is Node ${found}.\n`,
  );
  process.exit(1);
}
