/** Finds the status page of a custom domain, from memory for most requests. */
import { Clock, Effect, Option } from "effect"
import { Pages } from "../../store/page/Pages.ts"

/** How long an answer is kept, ms: a domain that has just been verified is served within this time. */
const keptFor = 10_000

/** Anybody can send any host name. */
const capacity = 2_000

interface Known {
  readonly slug: Option.Option<string>
  readonly until: number
}

export class CustomDomains extends Effect.Service<CustomDomains>()("belltower/CustomDomains", {
  effect: Effect.gen(function*() {
    const pages = yield* Pages
    const known = new Map<string, Known>()

    const remember = (domain: string, entry: Known) => {
      known.delete(domain)
      known.set(domain, entry)
      const [oldest] = known.keys()
      if (known.size > capacity && oldest !== undefined) known.delete(oldest)
    }

    /** The slug of the page that has verified the domain. While the database is away, the last answer holds. */
    const slugOf = (domain: string): Effect.Effect<Option.Option<string>> =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const before = known.get(domain)
        if (before !== undefined && now < before.until) return Effect.succeed(before.slug)
        return pages.slugAt(domain).pipe(
          Effect.catchAll(() => Effect.succeed(before?.slug ?? Option.none<string>())),
          Effect.tap((slug) => Effect.sync(() => remember(domain, { slug, until: now + keptFor })))
        )
      })

    return { slugOf }
  })
}) {}
