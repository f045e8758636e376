/** The open pages of visitors: notifies each, by a server-sent event, when something visible changes. */
import { Clock, Context, Duration, Effect, Layer } from "effect"
import { Readable } from "node:stream"
import { RateLimited } from "../../schema/Errors.ts"
import type { Snapshot } from "../domain/page/snapshot/Snapshot.ts"
import { snapshotVersion } from "../domain/page/snapshot/SnapshotVersion.ts"
import { retryHint } from "../domain/tools/RetryHint.ts"
import { inSteps, type Steps } from "../domain/tools/Steps.ts"
import { overTurns } from "../loops/OverTurns.ts"
import { restartForever } from "../loops/RestartForever.ts"
import { PublicPages } from "../operations/page/PublicPages.ts"

/** How many streams one process holds, and one client address of them. Browsers that are refused poll. */
const caps = { all: 50_000, address: 50 }

/** Ends the streams before the server waits for its requests to end. */
export class EndVisits extends Context.Reference<EndVisits>()("belltower/EndVisits", {
  defaultValue: (): Effect.Effect<void> => Effect.void
}) {}

interface Visit {
  readonly stream: Readable
  readonly address: string
  readonly until: number
}

interface Watched {
  version: string
  /** The visitors that may see the page. When that changes, its streams end, and each visitor is admitted again or not. */
  admits: string
  /** The snapshot of the last check: the same one has the same version. */
  seen: Snapshot | null
  readonly visits: Set<Visit>
}

const lookEvery = Duration.seconds(1)
const pingEvery = Duration.toMillis("25 seconds")
const lifetime = Duration.toMillis("10 minutes")

/** Visitors who fetch the new page in one second: they wait for a random part of the time that all of them take. */
const fetchesPerSecond = 2000
/** Frames written in one turn of the event loop. */
const framesPerTurn = 500
/** A client that reads this slowly is cut off, and connects again. */
const mostUnread = 16 * 1024

const greeting = (version: string) => `retry: 3000\ndata: ${JSON.stringify({ version, spreadMs: 0 })}\n\n`
const news = (version: string, visitors: number) =>
  `data: ${JSON.stringify({ version, spreadMs: Math.ceil(visitors / fetchesPerSecond * 1000) })}\n\n`
const ping = ": ping\n\n"

const full = (message: string) =>
  new RateLimited({ message, hint: "Poll the public status every 30 s", details: { retryAfterSec: 30 } })

const send = ({ stream }: Visit, frame: string): void => {
  if (stream.destroyed) return
  if (stream.readableLength > mostUnread) stream.destroy()
  else stream.push(frame)
}

/** Another page at the same address admits others, too. */
const admission = ({ page: { id, passwordSetAt, visibility } }: Snapshot): string =>
  `${id} ${visibility} ${passwordSetAt?.epochMillis ?? ""}`

const makeRegister = () => {
  const pages = new Map<string, Watched>()
  const byAddress = new Map<string, number>()
  let open = 0

  const leave = (slug: string, visit: Visit) => {
    const watched = pages.get(slug)
    if (watched?.visits.delete(visit) !== true) return
    if (watched.visits.size === 0) pages.delete(slug)
    const left = (byAddress.get(visit.address) ?? 1) - 1
    if (left === 0) byAddress.delete(visit.address)
    else byAddress.set(visit.address, left)
    open -= 1
  }

  const refusal = (address: string): RateLimited | null => {
    if (open >= caps.all) return full(`At most ${caps.all} live pages at a time`)
    return (byAddress.get(address) ?? 0) >= caps.address ? full(`At most ${caps.address} live pages for one address`) : null
  }

  const enter = (slug: string, snapshot: Snapshot, address: string, until: number): Readable => {
    const version = snapshotVersion(snapshot)
    const stream = new Readable({ read: () => undefined })
    const visit: Visit = { stream, address, until }
    const watched = pages.get(slug) ?? { version, admits: admission(snapshot), seen: null, visits: new Set<Visit>() }
    watched.visits.add(visit)
    pages.set(slug, watched)
    byAddress.set(address, (byAddress.get(address) ?? 0) + 1)
    open += 1
    stream.once("close", () => leave(slug, visit))
    send(visit, greeting(version))
    return stream
  }

  const everyone = () => [...pages.values()].flatMap(({ visits }) => [...visits])

  return { pages, refusal, enter, everyone, open: () => open }
}

const broadcast = (visits: Iterable<Visit>, frame: string): Steps<void> =>
  inSteps(visits, framesPerTurn, (visit) => send(visit, frame))

export class LiveVisitors extends Effect.Service<LiveVisitors>()("belltower/LiveVisitors", {
  scoped: Effect.gen(function*() {
    const pages = yield* PublicPages
    const register = makeRegister()
    const anybody = yield* Effect.makeLatch(false)
    let pingAt = 0
    let ended = false

    /** Checks a watched page as a visitor sees it, and notifies its visitors of a change. */
    const look = Effect.fnUntraced(
      function*(slug: string, watched: Watched) {
        const { snapshot } = yield* pages.any(slug)
        if (snapshot === watched.seen) return
        watched.seen = snapshot
        if (admission(snapshot) !== watched.admits) {
          watched.admits = admission(snapshot)
          return yield* overTurns(inSteps([...watched.visits], framesPerTurn, ({ stream }) => void stream.destroy()))
        }
        const version = snapshotVersion(snapshot)
        if (version === watched.version) return
        watched.version = version
        yield* overTurns(broadcast([...watched.visits], news(version, watched.visits.size)))
      },
      Effect.catchTags({
        // Visitors keep their view; the page itself says when it is gone.
        not_found: () => Effect.void,
        unavailable: () => Effect.void
      })
    )

    const keepAlive = Effect.suspend(() =>
      overTurns(inSteps(register.everyone(), framesPerTurn, (visit) => {
        if (pingAt >= visit.until) visit.stream.push(null)
        else send(visit, ping)
      }))
    )

    const round = Effect.gen(function*() {
      yield* anybody.await
      yield* Effect.sleep(lookEvery)
      yield* Effect.forEach([...register.pages], ([slug, watched]) => look(slug, watched), { concurrency: 4, discard: true })
      const now = yield* Clock.currentTimeMillis
      if (now >= pingAt) {
        pingAt = now + pingEvery
        yield* keepAlive
      }
      if (register.open() === 0) yield* anybody.close
    })
    yield* Effect.forkScoped(restartForever("Notifying open pages of changes", Effect.forever(round)))

    const end = Effect.sync(() => {
      if (ended) return
      ended = true
      // Streams whose time was up have ended before.
      const visits = register.everyone().filter(({ until }) => pingAt < until)
      for (const [index, visit] of visits.entries()) {
        send(visit, retryHint(index / visits.length))
        visit.stream.push(null)
      }
    })
    yield* Effect.addFinalizer(() => end)

    return {
      /** A stream of events for a visitor who may see the page. Fails with `rate_limited` above the caps. */
      enter: Effect.fn("LiveVisitors.enter")(function*(slug: string, snapshot: Snapshot, address: string) {
        const refusal = register.refusal(address)
        if (refusal !== null) return yield* refusal
        const stream = register.enter(slug, snapshot, address, (yield* Clock.currentTimeMillis) + lifetime)
        if (ended) stream.push(null)
        yield* anybody.open
        return stream
      }),
      open: Effect.sync(register.open),
      end
    }
  })
}) {
  static readonly endsVisits = Layer.effect(EndVisits, Effect.map(LiveVisitors, ({ end }) => end))
}
