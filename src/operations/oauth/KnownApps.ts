/** The apps that may ask people for access: those that registered themselves (RFC 7591), and those with a document of their own. */
import { DateTime, Duration, Effect, Either, Option } from "effect"
import { oauthRegistrations } from "../../../schema/api/parts/AddressLimit.ts"
import { type ClientDetails, clientDetails, documentDetails, isDocumentUrl } from "../../domain/oauth/ClientDetails.ts"
import { EgressGuard } from "../../egress/EgressGuard.ts"
import { readClientDocument } from "../../external/oauth/ClientDocument.ts"
import { BaseUrl } from "../../links/BaseUrl.ts"
import { RateLimits } from "../../store/access/RateLimits.ts"
import { randomToken } from "../../store/Mint.ts"
import { type ClientRow, OAuthClients } from "../../store/oauth/OAuthClients.ts"

/** How long what a document said is used without another look. */
const freshFor = Duration.hours(1)

/** How long it is used when its server cannot be reached. */
const staleFor = Duration.days(1)

interface App extends ClientDetails {
  readonly id: string
}

export class KnownApps extends Effect.Service<KnownApps>()("belltower/KnownApps", {
  effect: Effect.gen(function*() {
    const clients = yield* OAuthClients
    const limits = yield* RateLimits
    const guard = yield* EgressGuard
    const baseUrl = yield* BaseUrl

    /** Fails with `rate_limited`, and with the refusal in the words of the RFC. */
    const register = Effect.fn("KnownApps.register")(function*(metadata: unknown, address: string) {
      yield* limits.take(oauthRegistrations, address)
      const details = yield* clientDetails(metadata)
      const id = yield* Effect.map(randomToken(24), (token) => `app_${token}`)
      yield* clients.put(id, details, null)
      return { id, ...details } satisfies App
    })

    const isYounger = (row: ClientRow, age: Duration.Duration, now: DateTime.Utc) =>
      row.fetchedAt !== null && DateTime.lessThan(now, DateTime.addDuration(row.fetchedAt, age))

    const read = Effect.fn("KnownApps.read")(function*(id: string) {
      const details = yield* Effect.flatMap(
        readClientDocument(guard, new URL(id)),
        (document) => Either.mapLeft(documentDetails(id, document), ({ description: message }) => ({ message }))
      )
      yield* clients.put(id, details, yield* DateTime.now)
      return { id, ...details } satisfies App
    })

    /** An app that a person was sent here by; a text says why there is none. Looks at its document if it has one. */
    const find = Effect.fn("KnownApps.find")(function*(id: string): Effect.fn.Return<App, { readonly message: string }> {
      const row = yield* clients.find(id)
      if (!isDocumentUrl(id, baseUrl)) {
        return Option.isSome(row)
          ? row.value
          : yield* Effect.fail({ message: "This app is not registered here, or not any more" })
      }
      const now = yield* DateTime.now
      if (Option.isSome(row) && isYounger(row.value, freshFor, now)) return row.value
      return yield* Effect.catchAll(
        read(id),
        (unread): Effect.Effect<App, { readonly message: string }> =>
          Option.isSome(row) && isYounger(row.value, staleFor, now) ? Effect.succeed(row.value) : Effect.fail(unread)
      )
    })

    /** The same from what is known, for programs: nobody is asked while an app waits for a token. */
    const known = clients.find

    return { register, find, known, touch: clients.touch }
  })
}) {}
