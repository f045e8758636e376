/** Receives the enrolments of probes at POST /probes/enrol, outside the registry: its callers are programs of this installation. */
import { HttpApiBuilder, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Effect, type Layer } from "effect"
import { probeEnrolments } from "../../../schema/api/parts/AddressLimit.ts"
import { PublicCalls } from "../../operations/access/PublicCalls.ts"
import { EnrolProbe } from "../../operations/probe/EnrolProbe.ts"
import { publicAdmission } from "../guard/PublicAdmission.ts"
import { clientAddress } from "../request/ClientAddress.ts"
import { readText } from "../request/RequestBody.ts"

/** Several times what a probe sends, bytes. */
const bodyLimit = 4 * 1024

export const layer: Layer.Layer<never, never, EnrolProbe | PublicCalls> = HttpApiBuilder.Router.use((router) =>
  Effect.gen(function*() {
    const probes = yield* EnrolProbe
    const calls = yield* PublicCalls
    const receive = Effect.flatMap(
      HttpServerRequest.HttpServerRequest,
      (request) =>
        Effect.flatMap(readText(request, bodyLimit), (body) => probes.enrol(body, clientAddress(request))).pipe(
          Effect.map((answer) => HttpServerResponse.unsafeJson(answer, { headers: { "cache-control": "no-store" } }))
        )
    )
    yield* router.post("/probes/enrol", publicAdmission(calls, { rate: probeEnrolments })(receive))
  })
)
