/** Makes the metrics of a workspace's monitors, a page of monitors in each turn of the event loop. */
import { Effect } from "effect"
import type { Caller } from "../../../schema/access/Caller.ts"
import { Forbidden, Unavailable } from "../../../schema/Errors.ts"
import { makeMetricsText, type MonitorFigure } from "../../domain/monitor/MonitorMetrics.ts"
import { makeFairQueue } from "../../domain/tools/queues/FairQueue.ts"
import { makeFairSlots } from "../../loops/FairSlots.ts"
import { MonitorFigures } from "../../store/monitor/MonitorFigures.ts"

/** A key that is limited to a list of operations needs this one. */
const requiredOperation = "list_monitors"

const monitorsOfPage = 100

/** Scrapes under way in one process, each with the text of all monitors of a workspace in memory. One of each workspace; others wait. */
const scrapes = { slots: 4, mostPerOwner: 1, room: { total: 1000, perOwner: 20, weigh: () => 1 } }

const crowded = Effect.fail(
  new Unavailable({ message: "Too many scrapes wait", hint: "Scrape less often, or from fewer places" })
)

type Scraper = Pick<Caller, "workspaceId" | "operations">

const notPermitted = new Forbidden({
  message: `This key may not call ${requiredOperation}`,
  hint: `Use a key whose list of operations includes ${requiredOperation}`
})

export class ReadMonitorMetrics extends Effect.Service<ReadMonitorMetrics>()("belltower/ReadMonitorMetrics", {
  effect: Effect.gen(function*() {
    const monitors = yield* MonitorFigures
    const slots = makeFairSlots(makeFairQueue<() => void>(scrapes), crowded)

    /** The text in pieces. Fails with `forbidden` for a key that may not list monitors. */
    const read = Effect.fn("ReadMonitorMetrics.read")(function*({ operations, workspaceId }: Scraper) {
      if (operations !== null && !operations.has(requiredOperation)) return yield* notPermitted
      const text = makeMetricsText()
      for (let after: string | undefined = ""; after !== undefined;) {
        const page: ReadonlyArray<MonitorFigure> = yield* monitors.figures(workspaceId, after, monitorsOfPage)
        text.add(page)
        after = page.length < monitorsOfPage ? undefined : page.at(-1)?.id
      }
      return text.pieces()
    })

    return { read: (caller: Scraper) => slots(caller.workspaceId, read(caller)) }
  })
}) {}
