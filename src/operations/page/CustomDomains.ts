/** Finds the status page of a custom domain, from memory for most requests. */
import { Clock, Effect, Option } from "effect"
import { Pages } from "../../store/page/Pages.ts"

/** How long an answer is kept before the database is asked again, ms: a domain that has just been verified is served within this time. */
const keptFor = 10_000

/** Verified domains that are remembered; beyond it, those that nobody has asked for longest are forgotten. */
const mostVerified = 20_000

/** The same for names that no page has verified. Anybody can send any host name, so these have room of their own. */
const mostUnknown = 2_000

interface Known {
  readonly slug: Option.Option<string>
  until: number
}

/** Answers by domain, the latest last. */
const makeMemory = (capacity: number) => {
  const answers = new Map<string, Known>()
  return {
    recall: (domain: string): Known | undefined => answers.get(domain),
    forget: (domain: string): void => void answers.delete(domain),
    remember: (domain: string, answer: Known): void => {
      answers.delete(domain)
      answers.set(domain, answer)
      const [oldest] = answers.keys()
      if (answers.size > capacity && oldest !== undefined) answers.delete(oldest)
    }
  }
}

export class CustomDomains extends Effect.Service<CustomDomains>()("belltower/CustomDomains", {
  effect: Effect.gen(function*() {
    const pages = yield* Pages
    const verified = makeMemory(mostVerified)
    const unknown = makeMemory(mostUnknown)

    const learn = (domain: string, answer: Known): void => {
      const [now, before] = Option.isSome(answer.slug) ? [verified, unknown] : [unknown, verified]
      before.forget(domain)
      now.remember(domain, answer)
    }

    /** The slug of the page that has verified the domain. While the database is away, the last answer holds. */
    const slugOf = (domain: string): Effect.Effect<Option.Option<string>> =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const last = verified.recall(domain) ?? unknown.recall(domain)
        if (last !== undefined && now < last.until) return Effect.succeed(last.slug)
        // One request asks. The others have the last answer meanwhile, and all have it if the database does not answer.
        if (last !== undefined) last.until = now + keptFor
        return pages.slugAt(domain).pipe(
          Effect.tap((slug) => Effect.sync(() => learn(domain, { slug, until: now + keptFor }))),
          Effect.catchAll(() => Effect.succeed(last?.slug ?? Option.none<string>()))
        )
      })

    return { slugOf }
  })
}) {}
