// What of pg is used here: its own types come with a package that makes npm leave pg's parts out of the bill of materials.

declare module "pg" {
  import type { EventEmitter } from "node:events";

  export interface ClientConfig {
    readonly host?: string;
    readonly port?: number;
    readonly user?: string | undefined;
    readonly password?: string | undefined;
    readonly database?: string | undefined;
    readonly options?: string | undefined;
    readonly application_name?: string | undefined;
    readonly keepAlive?: boolean;
    readonly keepAliveInitialDelayMillis?: number;
    readonly ssl?: unknown;
  }

  export class Client extends EventEmitter {
    constructor(config: ClientConfig);
    connect(): Promise<unknown>;
  }
}
