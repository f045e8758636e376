/** The checks of a monitor, newest first, by outcome. */
import { DateTime, Schema } from "effect"
import { Outcome } from "../../../../schema/check/Check.ts"
import { Filters, PlainSelect } from "../../design/Filters.tsx"
import { Empty, Pager } from "../../design/Parts.tsx"
import { read, together, view } from "../../frame/View.ts"
import { CheckRows } from "./CheckRows.tsx"
import { eventsOf, monitorHead, pollOf } from "./MonitorHead.tsx"

const isOutcome = Schema.is(Outcome)

export const checksView = view("/app/monitors/:id/checks", "monitors", function*({ id, query }) {
  const asked = query.get("outcome")
  const outcome = isOutcome(asked) ? asked : null
  const before = query.get("before")
  const [monitor, { data, next }] = yield* together([
    read("get_monitor", { id, checks: 0 }),
    read("list_checks", {
      id,
      limit: 50,
      outcome: outcome ?? undefined,
      before: before ?? undefined
    })
  ])
  const base = `/app/monitors/${id}/checks`
  const filter = outcome === null ? "" : `outcome=${outcome}`
  const noun = monitor.kind === "heartbeat" ? "pings" : "checks"
  return {
    title: `${noun === "pings" ? "Pings" : "Checks"} of ${monitor.name}`,
    live: before === null ? eventsOf(monitor) : [],
    head: monitorHead(monitor, base),
    body: (
      <section class="panel" aria-label={noun} data-poll={before === null ? pollOf(monitor) : undefined}>
        <Filters>
          <PlainSelect
            id="outcome"
            label="Outcome"
            value={outcome ?? ""}
            options={[["", "All"], ["up", "Up"], ["degraded", "Degraded"], ["down", "Down"]] as const}
          />
        </Filters>
        {data.length === 0
          ? (
            <Empty
              title={outcome === null ? `No ${noun} yet` : `No ${noun} with this outcome`}
              text={outcome === null
                ? `They appear here as they come in, and are kept for 30 days.`
                : `Choose another outcome, or look at all ${noun}.`}
            />
          )
          : <CheckRows checks={data} monitor={monitor} />}
        <Pager
          said={before === null ? `Newest ${data.length}` : `${data.length} ${noun}`}
          previous={before === null ? null : `${base}?${filter}`}
          next={next === null
            ? null
            : `${base}?${filter}${filter === "" ? "" : "&"}before=${encodeURIComponent(DateTime.formatIso(next))}`}
        />
      </section>
    )
  }
})
