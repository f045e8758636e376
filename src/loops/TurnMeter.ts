/** Measures the turns of the event loop, during which no other request is answered, and names those above 50 ms. */
import { Effect, FiberRef, Queue, Supervisor } from "effect"
import { Counter, Gauge, Histogram } from "prom-client"
import { withReference } from "./WithServices.ts"

/** The budget of one turn, ms. */
export const budgetMs = 50

const longTurns = new Counter({
  name: "belltower_event_loop_long_turns_total",
  help: "Turns of the event loop that took more than 50 ms, by the operation or loop that took most of it",
  labelNames: ["name"]
})

const turns = new Histogram({
  name: "belltower_event_loop_turn_seconds",
  help: "How long turns of the event loop take, during each of which the process answers nothing else",
  buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]
})

/** The longest part of one turn by name, ms. */
const longest = new Map<string, number>()

new Gauge({
  name: "belltower_event_loop_longest_turn_seconds",
  help: "The longest time within one turn of the event loop since the process began, by operation or loop",
  labelNames: ["name"],
  collect() {
    for (const [name, ms] of longest) this.set({ name }, ms / 1000)
  }
})

interface LongTurn {
  readonly name: string
  readonly ms: number
  readonly ownMs: number
}

/** The long turns that wait to be logged; the newest of them, if nobody logs. */
export const foundLongTurns = Effect.runSync(Queue.sliding<LongTurn>(100))

/** The turn that is under way. A process has one event loop, so this is its only state. */
interface Turn {
  readonly start: number
  readonly spent: Map<string, number>
  /** The running name and its start, ms; null if none. */
  name: string | null
  since: number
}
let turn: Turn | null = null

const settle = (at: Turn, now: number): void => {
  if (at.name === null) return
  at.spent.set(at.name, (at.spent.get(at.name) ?? 0) + now - at.since)
  at.name = null
}

/** Runs after everything else of the turn. */
const close = (): void => {
  const at = turn
  if (at === null) return
  turn = null
  const now = performance.now()
  settle(at, now)
  let most: readonly [name: string, ms: number] = ["", 0]
  for (const one of at.spent) {
    if (one[1] > most[1]) most = one
    if (one[1] > (longest.get(one[0]) ?? 0)) longest.set(one[0], one[1])
  }
  turns.observe((now - at.start) / 1000)
  if (now - at.start <= budgetMs) return
  longTurns.inc({ name: most[0] })
  Queue.unsafeOffer(foundLongTurns, { name: most[0], ms: now - at.start, ownMs: most[1] })
}

const enter = (name: string): void => {
  const now = performance.now()
  if (turn === null) {
    turn = { start: now, spent: new Map(), name: null, since: now }
    setImmediate(close)
  }
  settle(turn, now)
  turn.name = name
  turn.since = now
}

/** A nested name, such as a tool's operation within the MCP route, has taken over before. */
const leave = (name: string): void => {
  if (turn?.name === name) settle(turn, performance.now())
}

class TurnSupervisor extends Supervisor.AbstractSupervisor<void> {
  override readonly value = Effect.void
  readonly name: string
  constructor(name: string) {
    super()
    this.name = name
  }
  override onResume(): void {
    enter(this.name)
  }
  override onSuspend(): void {
    leave(this.name)
  }
}

/** Counts the time that an effect and the fibers that it forks spend on the event loop under a name from a fixed set. */
export const inTurnsOf = (name: string): <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> => {
  const supervisor = new TurnSupervisor(name)
  // Supervision takes effect with the next suspension, so the first and the last part are entered and left by hand.
  const begin = (before: Supervisor.Supervisor<unknown>) => {
    enter(name)
    return before === Supervisor.none ? supervisor : before.zip(supervisor)
  }
  const end = () => leave(name)
  return (effect) => withReference(effect, FiberRef.currentSupervisor, begin, end)
}
