/** The public pages as this process serves them: from memory, read again when something visible changed or after 30 s. */
import { type Cause, Clock, Deferred, Effect, FiberSet, Option, Schema, Stream } from "effect"
import { NotFound, Unavailable } from "../../schema/Errors.ts"
import { Slug } from "../../schema/page/Page.ts"
import { BaseUrl } from "../links/BaseUrl.ts"
import { restartForever } from "../loops/RestartForever.ts"
import { eventsSignal } from "../store/event/EventLog.ts"
import { pagesSignal } from "../store/page/Pages.ts"
import { Wakeups } from "../store/postgres/Wakeups.ts"
import { type Change, isDue, type KeptPage, makePageCache } from "./PageCache.ts"
import { makePageView, type PageView } from "./PageView.ts"
import { SnapshotLoader } from "./SnapshotLoader.ts"

/** What a visitor is served. */
export interface Served {
  readonly view: PageView
  /** The newest data could not be read: this is what was known before. */
  readonly stale: boolean
}

/** How long a visitor waits for a newer snapshot when there is an older one. */
const rebuildTimeout = "2 seconds"

/** A database that hangs is a database that is away. */
const buildLimit = "10 seconds"

const capacity = 1_000

const isSlug = Schema.is(Slug)

const notFound = new NotFound({ message: "There is no public status page at this address" })

const unavailable = new Unavailable({
  message: "The status of this page cannot be read right now",
  hint: "Try again in a few seconds"
})

/** A reading under way, which every visitor who comes meanwhile waits for. */
interface Build {
  readonly done: Deferred.Deferred<Option.Option<PageView>, Unavailable>
  /** What changed since it began: the snapshot may not have it. */
  overtaken: Change
}

const served = ({ failedAt, view }: KeptPage): Served => ({ view, stale: failedAt !== null })

export class PublicPages extends Effect.Service<PublicPages>()("belltower/PublicPages", {
  scoped: Effect.gen(function*() {
    const loader = yield* SnapshotLoader
    const wakeups = yield* Wakeups
    const baseUrl = yield* BaseUrl
    const run = yield* FiberSet.makeRuntime<never>()
    const cache = makePageCache(capacity)
    const builds = new Map<string, Build>()
    let failing = false

    const load = Effect.fn("PublicPages.load")(
      function*(slug: string, build: Build) {
        const snapshot = yield* Effect.timeout(loader.load(slug), buildLimit)
        if (Option.isNone(snapshot)) {
          cache.drop(slug)
          return Option.none<PageView>()
        }
        const view = makePageView(snapshot.value, baseUrl)
        const builtAt = yield* Clock.currentTimeMillis
        cache.keep(slug, { view, builtAt, change: build.overtaken, failedAt: null })
        return Option.some(view)
      },
      Effect.tap(() => {
        failing = false
      })
    )

    /** One line an outage, not one a visitor. */
    const tellOfFailure = (slug: string, cause: Cause.Cause<unknown>) =>
      Effect.suspend(() => {
        if (failing) return Effect.void
        failing = true
        return Effect.logWarning(`The status page ${slug} could not be read; serving the last snapshots until it can`, cause)
      })

    const runBuild = (slug: string, build: Build) =>
      load(slug, build).pipe(
        Effect.tapErrorCause((cause) => tellOfFailure(slug, cause)),
        Effect.tapErrorCause(() => Effect.map(Clock.currentTimeMillis, (now) => cache.markFailed(slug, now))),
        // Defects too: whatever breaks a reading, visitors keep the page they had.
        Effect.catchAllCause(() => unavailable),
        Effect.ensuring(Effect.sync(() => builds.delete(slug))),
        Effect.intoDeferred(build.done)
      )

    const newest = (slug: string) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.gen(function*() {
          const running = builds.get(slug)
          if (running !== undefined) return yield* restore(Deferred.await(running.done))
          const build: Build = { done: yield* Deferred.make<Option.Option<PageView>, Unavailable>(), overtaken: "none" }
          builds.set(slug, build)
          run(Effect.interruptible(runBuild(slug, build)))
          return yield* restore(Deferred.await(build.done))
        })
      )

    /** The page at a slug. A reading that fails or lasts gives the last snapshot; without one it fails as `unavailable`. */
    const get = Effect.fn("PublicPages.get")(function*(slug: string) {
      if (!isSlug(slug)) return yield* notFound
      const known = cache.use(slug)
      if (known === undefined) {
        const view = yield* Effect.flatMap(newest(slug), Option.match({ onNone: () => notFound, onSome: Effect.succeed }))
        return { view, stale: false }
      }
      if (!isDue(known, yield* Clock.currentTimeMillis)) return served(known)
      return yield* newest(slug).pipe(
        Effect.timeout(rebuildTimeout),
        Effect.flatMap(Option.match({
          onNone: () => notFound,
          onSome: (view): Effect.Effect<Served> => Effect.succeed({ view, stale: false })
        })),
        Effect.catchTags({
          TimeoutException: () => Effect.succeed({ view: known.view, stale: true }),
          unavailable: () => Effect.succeed({ view: known.view, stale: true })
        })
      )
    })

    /** An empty payload says that some went unheard, so that every page may have changed. */
    const follow = (channel: string, change: Change, concerned: (page: KeptPage, slug: string, payload: string) => boolean) =>
      wakeups.listen(channel).pipe(
        Stream.runForEach((payload) =>
          Effect.sync(() => {
            cache.mark((page, slug) => payload === "" || concerned(page, slug, payload), change)
            for (const build of builds.values()) build.overtaken = build.overtaken === "edit" ? "edit" : change
          })
        ),
        (loop) => restartForever(`Following changes of pages (${channel})`, loop),
        Effect.forkScoped
      )

    yield* follow(eventsSignal, "event", ({ view }, _, workspaceId) => view.workspaceId === workspaceId)
    yield* follow(pagesSignal, "edit", (_, slug, edited) => slug === edited)

    return { get }
  })
}) {}
