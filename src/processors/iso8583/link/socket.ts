// The socket of a connection, plain or TLS. Nothing of messages is known here.

import { Socket, connect as tcpConnect } from "node:net";
import { connect as tlsConnect } from "node:tls";

export interface Tls {
  /** PEM; without it, what the runtime trusts. */
  readonly ca: string | undefined;
  /** PEM, both or none: for hosts that want to know who connects. */
  readonly certificate: string | undefined;
  readonly key: string | undefined;
  /** The name on the host's certificate, where it is not the host's own. */
  readonly serverName: string | undefined;
}

export interface Address {
  readonly host: string;
  readonly port: number;
  readonly tls: Tls | null;
}

/**
 * `connected` is called once the peer can be spoken to, which with TLS is once its certificate was found good. What cannot even be begun,
 * as with a certificate of ours that is none, becomes an error of the socket like all others.
 */
export function openSocket({ host, port, tls }: Address, connected: () => void): Socket {
  try {
    const socket = tls === null ? tcpConnect({ host, port }, connected) : secured({ host, port, tls }, connected);
    socket.setNoDelay(true);
    return socket;
  } catch (fault) {
    const code = `tls_certificate or tls_key cannot be used, ${(fault as NodeJS.ErrnoException).code}`;
    return new Socket().destroy(Object.assign(new Error(code), { code }));
  }
}

function secured({ host, port, tls }: Address & { readonly tls: Tls }, connected: () => void): Socket {
  return tlsConnect(
    {
      host,
      port,
      minVersion: "TLSv1.2",
      ...(tls.ca !== undefined && { ca: tls.ca }),
      ...(tls.certificate !== undefined && { cert: tls.certificate }),
      ...(tls.key !== undefined && { key: tls.key }),
      ...(tls.serverName !== undefined && { servername: tls.serverName }),
    },
    connected,
  );
}
