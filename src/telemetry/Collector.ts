/** The way to the operator's collector of telemetry: a slow or absent one costs bounded memory, and one line in the log. */
import { HttpClient, HttpClientError, type HttpClientRequest } from "@effect/platform"
import { Effect } from "effect"
import { Counter } from "prom-client"
import { makeOutage, reasonOf } from "../loops/Outage.ts"

/** Requests under way at a time for each signal. One more fails, and what its exporter takes in for a minute is dropped. */
const mostOpen = 8

const failures = new Counter({
  name: "belltower_telemetry_failed_exports_total",
  help: "Requests with telemetry that the collector did not accept; what they carried may be lost",
  labelNames: ["signal"]
})

const tooSlow = (request: HttpClientRequest.HttpClientRequest, timeoutMs: number) => () =>
  new HttpClientError.RequestError({
    request,
    reason: "Transport",
    description: `No answer within ${timeoutMs} ms`
  })

/** Without the address, which may hold a key. */
const whyOf = (error: HttpClientError.HttpClientError): string => error.description ?? reasonOf(error.cause)

/** Sends `signal` (traces, metrics or logs), and logs when the collector stops accepting it and when it accepts it again. */
export const makeCollector = (signal: string, timeoutMs: number) =>
  Effect.map(HttpClient.HttpClient, (client) => {
    const outage = makeOutage(`Sending ${signal} to the collector`)
    let open = 0
    const failed = (reason: string) => Effect.zipRight(Effect.sync(() => failures.inc({ signal })), outage.failed(reason))
    return HttpClient.transform(client, (exchange, request) =>
      Effect.suspend(() => {
        if (open >= mostOpen) return Effect.dieMessage(`${mostOpen} requests to the collector are under way`)
        open++
        // Read to its end, so that the connection can be used again.
        return Effect.tap(exchange, (response) => Effect.ignore(response.text)).pipe(
          Effect.timeoutFail({ duration: timeoutMs, onTimeout: tooSlow(request, timeoutMs) }),
          Effect.tap(({ status }) => status < 300 ? outage.worked : failed(`status ${status}`)),
          Effect.tapError((error) => failed(whyOf(error))),
          Effect.ensuring(Effect.sync(() => open--))
        )
      }))
  })
