/** The list of monitors: filters and quick filters in the address, pages, and changes of many at a time. */
import { BareInput, BareSelect } from "../../design/BareControls.tsx"
import { BulkButton, BulkForm } from "../../design/BulkForm.tsx"
import { useMay } from "../../design/Form.tsx"
import { Empty, Pager } from "../../design/Parts.tsx"
import type { AnswerOf } from "../../frame/DashboardApi.ts"
import { read, together, view } from "../../frame/View.ts"
import { noWorkspace } from "../account/NoWorkspace.tsx"
import {
  addressOf,
  filterOf,
  type MonitorFilter,
  MonitorFilters,
  nextPage,
  pagingOf,
  previousPage,
  StateTabs
} from "./MonitorFilters.tsx"
import { bulkForm, type ListedMonitor, MonitorTable } from "./MonitorTable.tsx"

const rows = 50

type Channels = AnswerOf<"list_channels">["data"]

const BulkBar = ({ channels }: { readonly channels: Channels }) => (
  <div class="bulk-bar" role="group" aria-label="Change the selected monitors">
    <span class="inline-field">
      <BareInput name="tags" as="list" label="Tag to add" attributes={{ maxlength: 40, placeholder: "Tag" }} />
      <BulkButton call="update_monitor" take={["tags:list"]} said="Tag added to {count:monitor}">Add tag</BulkButton>
    </span>
    {channels.length === 0 ? null : (
      <span class="inline-field">
        <BareSelect
          name="channelIds"
          as="all"
          label="Channel to add"
          options={[
            ["", "Channel"],
            ...channels.map(({ id, name }) => [id, name] as const)
          ]}
        />
        <BulkButton call="update_monitor" take={["channelIds:all"]} said="Channel added to {count:monitor}">
          Add channel
        </BulkButton>
      </span>
    )}
    <span class="buttons">
      <BulkButton call="update_monitor" set={{ "paused:boolean": "true" }} said="{count:monitor} paused">Pause</BulkButton>
      <BulkButton call="update_monitor" set={{ "paused:boolean": "false" }} said="{count:monitor} resumed">Resume</BulkButton>
      <BulkButton call="delete_monitor" confirm="/app/monitors/delete" said="" look="danger tight">Delete…</BulkButton>
    </span>
  </div>
)

const Nothing = ({ filter }: { readonly filter: MonitorFilter }) =>
  Object.keys(filter).length === 0
    ? (
      <Empty title="No monitors yet" text="A monitor checks an address, a port, a name or a job, and alerts you when it fails.">
        <a class="button" href="/app/monitors/new">New monitor</a>
        <a class="button plain" href="/app/import">Import from another service</a>
      </Empty>
    )
    : (
      <Empty title="No monitor matches" text="Change the filters, or clear them to see all monitors.">
        <a class="button plain" href="/app/monitors">Clear filters</a>
      </Empty>
    )

const New = () => useMay("create_monitor") ? <a class="button" href="/app/monitors/new">New monitor</a> : null

const List = ({ channels, monitors }: {
  readonly monitors: ReadonlyArray<ListedMonitor>
  readonly channels: Channels
}) => {
  const mayEdit = useMay("update_monitor")
  const table = <MonitorTable monitors={monitors} />
  return mayEdit
    ? (
      <>
        <BulkBar channels={channels} />
        {table}
      </>
    )
    : table
}

export const monitorsView = view("/app/monitors", "monitors", function*({ query, workspace }) {
  if (workspace === null) return noWorkspace("Monitors")
  const filter = filterOf(query)
  const paging = pagingOf(query)
  const [page, regions, channels] = yield* together([
    read("list_monitors", {
      ...filter,
      ...(paging.after === null ? {} : { after: paging.after }),
      limit: rows,
      trend: true,
      counts: true
    }),
    read("list_regions", { results: false }),
    read("list_channels")
  ])
  const { counts, data, next } = page
  const here = addressOf(filter, paging)
  return {
    title: "Monitors",
    live: ["monitor.*"],
    head: { actions: <New /> },
    body: (
      <>
        {counts === undefined ? null : <StateTabs counts={counts} filter={filter} />}
        <section class="panel" aria-label="Monitors">
          <MonitorFilters filter={filter} regions={regions.data.map(({ id }) => id)} />
          {data.length === 0 ? <Nothing filter={filter} /> : (
            <BulkForm id={bulkForm} then={here}>
              <List monitors={data} channels={channels.data} />
            </BulkForm>
          )}
          {paging.after === null && next === null ? null : (
            <Pager
              said={`Page ${paging.trail.length + 1}`}
              previous={previousPage(filter, paging)}
              next={next === null ? null : nextPage(filter, paging, next)}
            />
          )}
        </section>
      </>
    )
  }
})
