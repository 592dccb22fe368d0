// What the server's framework costs by itself, with the same answers and nothing behind them: the floor of a small request.

import Fastify from "fastify";

const app = Fastify();
const error = { error: { status: 422, message: { card_expiry_month: ["must be two digits, 01 to 12"] } }, debug: [] };
app.get("/*", async () => ({ status: "ok" }));
app.post("/*", async (_request, reply) => reply.code(422).send(error));
// As long as what a gateway answers a sale.
const sale = { success: true, transaction: { filler: "x".repeat(1_000) } };
app.post("/approved/*", async () => sale);
process.on("disconnect", () => process.exit());
process.send?.(await app.listen({ host: "127.0.0.1", port: 0 }));
