/** The checks of a monitor, newest first, by outcome. */
import { DateTime, Effect, Schema } from "effect"
import { Outcome } from "../../../../schema/check/Check.ts"
import { Empty, Pager } from "../../design/Parts.tsx"
import { read, together } from "../../frame/DashboardApi.ts"
import { view } from "../../frame/View.ts"
import { Visit } from "../../frame/Visit.ts"
import { CheckRows } from "./CheckRows.tsx"
import { eventsOf, MonitorHead, pollOf } from "./MonitorHead.tsx"

const pageSize = 50

const isOutcome = Schema.is(Outcome)

const Filter = ({ outcome }: { readonly outcome: string }) => (
  <form class="filters" method="get" data-auto>
    <div class="field">
      <label for="outcome">Outcome</label>
      <select id="outcome" name="outcome">
        {[["", "All"], ["up", "Up"], ["degraded", "Degraded"], ["down", "Down"]].map(([value, name]) => (
          <option value={value} selected={value === outcome}>{name}</option>
        ))}
      </select>
    </div>
    <button class="plain">Filter</button>
  </form>
)

export const checksView = view(
  "/app/monitors/:id/checks",
  "monitors",
  Effect.gen(function*() {
    const { params, query } = yield* Visit
    const id = params["id"] ?? ""
    const asked = query.get("outcome")
    const outcome = isOutcome(asked) ? asked : null
    const before = query.get("before")
    const [monitor, { data, next }] = yield* Effect.all([
      read("get_monitor", { id, checks: 0 }),
      read("list_checks", {
        id,
        limit: pageSize,
        ...(outcome === null ? {} : { outcome }),
        ...(before === null ? {} : { before })
      })
    ], together)
    const base = `/app/monitors/${id}/checks`
    const filter = outcome === null ? "" : `outcome=${outcome}`
    const noun = monitor.kind === "heartbeat" ? "pings" : "checks"
    return {
      title: `${noun === "pings" ? "Pings" : "Checks"} of ${monitor.name}`,
      live: before === null ? eventsOf(monitor) : [],
      body: (
        <>
          <MonitorHead monitor={monitor} here={base} />
          <section class="panel" aria-label={noun} {...(before === null ? { "data-poll": pollOf(monitor) } : {})}>
            <Filter outcome={outcome ?? ""} />
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
        </>
      )
    }
  })
)
