/** The runs of a job, newest first, by state and by what they printed. */
import { Schema } from "effect"
import { RunState } from "../../../../../schema/monitor/JobRun.ts"
import { counted } from "../../../../domain/tools/text/Counted.ts"
import { Filters, PlainInput, PlainSelect } from "../../../design/Filters.tsx"
import { Empty, Pager } from "../../../design/Parts.tsx"
import { read, together, view } from "../../../frame/View.ts"
import { eventsOf, monitorHead, pollOf } from "../MonitorHead.tsx"
import { RunRows, runStates } from "./RunRows.tsx"

const isState = Schema.is(RunState)

export const runsView = view("/app/monitors/:id/runs", "monitors", function*({ id, query }) {
  const asked = query.get("state")
  const state = isState(asked) ? asked : null
  const search = query.get("search") ?? ""
  const before = query.get("before")
  const [monitor, { data, next }] = yield* together([
    read("get_monitor", { id, checks: 0 }),
    read("list_runs", {
      id,
      limit: 50,
      state: state ?? undefined,
      search: search === "" ? undefined : search,
      before: before ?? undefined
    })
  ])
  const base = `/app/monitors/${id}/runs`
  const pageAt = (from: string | null) => {
    const wanted = [["state", state], ["search", search], ["before", from]] as const
    return `${base}?${new URLSearchParams(
      wanted.flatMap(([name, value]) => value === null || value === "" ? [] : [[name, value]])
    )}`
  }
  const isFiltered = state !== null || search !== ""
  return {
    title: `Runs of ${monitor.name}`,
    live: before === null ? eventsOf(monitor) : [],
    head: monitorHead(monitor, base),
    body: (
      <section class="panel" aria-label="runs" data-poll={before === null ? pollOf(monitor) : undefined}>
        <Filters>
          <PlainSelect id="state" label="State" value={state ?? ""} options={runStates} />
          <PlainInput id="search" name="search" label="Text in the output" type="search" value={search} maxlength={200} grow />
        </Filters>
        {data.length === 0
          ? (
            <Empty
              title={isFiltered ? "No such runs" : "No runs yet"}
              text={isFiltered
                ? "Choose another state, or look for other text."
                : "Ping /start when the job begins, and its exit code when it ends. Runs are kept for 30 days."}
            />
          )
          : <RunRows runs={data} />}
        <Pager
          said={before === null ? `Newest ${data.length}` : counted(data.length, "run")}
          previous={before === null ? null : pageAt(null)}
          next={next === null ? null : pageAt(next)}
        />
      </section>
    )
  }
})
