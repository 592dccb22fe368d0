// Requests by route and status, how long they take, and how many there are now. A route is its pattern, so that ids in addresses
// make no labels.

import type { FastifyReply, FastifyRequest } from "fastify";
import { Gauge, type Registry } from "prom-client";
import type { Exchanges } from "../api/exchanges.ts";
import type { Onlooker } from "../api/onlookers.ts";
import { DURATIONS } from "./operation-metrics.ts";
import { type Counting, counter, histogram, type Observing } from "./tallies.ts";

/** Of what no route is there for, and of what is no request. */
const NO_ROUTE = "none";
const UNREADABLE = { method: "none", route: "unreadable" };

interface RouteMetrics {
  readonly byStatus: Map<string, Counting>;
  readonly durations: Map<string, Observing>;
}

/** Registers them. @returns what is to look on at a server's requests */
export function requestMetrics(register: Registry): Onlooker {
  const requests = counter(register, {
    name: "faregate_http_requests_total",
    help: "Requests that were responded to, by method, route and status.",
  });
  const durations = histogram(
    register,
    {
      name: "faregate_http_request_duration_seconds",
      help: "Time from a request's head to the end of its response.",
    },
    DURATIONS,
  );
  const routes = new WeakMap<object, RouteMetrics>();

  const responded = ({ method, routeOptions }: FastifyRequest, reply: FastifyReply): void => {
    const { url: route = NO_ROUTE, config } = routeOptions;
    const known = routes.get(config) ?? { byStatus: new Map(), durations: new Map() };
    routes.set(config, known);
    const status = String(reply.statusCode);
    inMap(known.byStatus, `${method} ${status}`, () => requests({ method, route, status })).add();
    inMap(known.durations, method, () => durations({ method, route })).observe(reply.elapsedTime / 1_000);
  };

  return {
    watch: (app, exchanges) => {
      countNow([register], exchanges);
      app.addHook("onResponse", (request, reply, done) => {
        responded(request, reply);
        done();
      });
    },
    unreadable: ({ status }) => requests({ ...UNREADABLE, status: String(status) }).add(),
  };
}

function inMap<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  const known = map.get(key) ?? make();
  map.set(key, known);
  return known;
}

/** Counted when somebody asks. */
function countNow(registers: Registry[], { connections }: Exchanges): void {
  new Gauge({
    name: "faregate_http_connections",
    help: "Open connections.",
    registers,
    collect() {
      this.set(connections.size);
    },
  });
  new Gauge({
    name: "faregate_http_requests_in_flight",
    help: "Requests that were read and not responded to.",
    registers,
    collect() {
      this.set(connections.values().reduce((sum, { size }) => sum + size, 0));
    },
  });
}
