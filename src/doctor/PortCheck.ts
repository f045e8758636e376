/** Whether a process can listen on a port, or listens there already. */
import { FetchHttpClient, HttpClient } from "@effect/platform"
import { Effect, Schema } from "effect"
import { createServer } from "node:net"
import { failed, fine, warning } from "../domain/health/Diagnosis.ts"

export interface HostPort {
  readonly host: string
  readonly port: number
}

/** The code of the failure to listen there, such as EADDRINUSE; null if it works. */
const listenFault = ({ host, port }: HostPort) =>
  Effect.async<string | null>((resume) => {
    const server = createServer()
    server.once("error", (error: NodeJS.ErrnoException) => resume(Effect.succeed(error.code ?? error.message)))
    server.listen(port, host, () => server.close(() => resume(Effect.succeed(null))))
    return Effect.sync(() => server.close())
  })

const isReadiness = Schema.is(Schema.Struct({ ready: Schema.Boolean }))

/** Whether a process of this program serves there. */
export const servesHealth = ({ host, port }: HostPort) =>
  HttpClient.get(`http://${host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host}:${port}/readyz`).pipe(
    Effect.flatMap((response) => response.json),
    // A server that takes the connection and does not answer is another program.
    Effect.timeout("2 seconds"),
    Effect.match({ onFailure: () => false, onSuccess: (answer) => isReadiness(answer) }),
    Effect.provide(FetchHttpClient.layer)
  )

const listenAdvice: Readonly<Record<string, string>> = {
  EADDRINUSE: "Stop what listens there (ss -ltnp shows it), or set another port.",
  EACCES: "Set a port from 1024 on, and let a proxy listen on the other one.",
  EADDRNOTAVAIL: "Set an address of this machine."
}

const unknownAdvice = "If no runner of this installation runs here, stop what listens there (ss -ltnp shows it)."

/** `serves`: whether a process of this program answers there already; null if that cannot be known. */
export const lookPort = (name: string, address: HostPort, serves: (address: HostPort) => Effect.Effect<boolean | null>) =>
  Effect.gen(function*() {
    const at = `${address.host}:${address.port} (${name})`
    const fault = address.port === 0 ? null : yield* listenFault(address)
    if (fault === null) return [fine(`A process can listen on ${at}`)]
    const isServed = fault === "EADDRINUSE" ? yield* serves(address) : false
    if (isServed === true) return [fine(`A process of Belltower serves on ${at}`)]
    if (isServed === null) {
      return [warning(`Something listens on ${at}; without the database and the secret nobody can tell what`, unknownAdvice)]
    }
    return [failed(`A process cannot listen on ${at}: ${fault}`, listenAdvice[fault] ?? `Set ${name} to a port that is free.`)]
  })
