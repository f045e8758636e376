/** Asks before monitors are deleted, one or many, and lists what else is deleted. */
import { Effect } from "effect"
import { counted } from "../../../domain/tools/text/Counted.ts"
import { named } from "../../design/Amounts.ts"
import { BulkButton, BulkForm, BulkRows } from "../../design/BulkForm.tsx"
import { Buttons, CallForm, Submit } from "../../design/Form.tsx"
import { Empty, Panel } from "../../design/Parts.tsx"
import { type BulkRow, rowsOf } from "../../frame/BulkRow.ts"
import { read, view } from "../../frame/View.ts"

/** The components that follow monitors, by page. */
const followersOf = (ids: ReadonlyArray<string>) =>
  Effect.map(read("list_pages", { monitorIds: ids }), ({ data, next }) => ({
    pages: data.map((page) => ({ name: page.name, components: page.components.map(({ name }) => name) })),
    more: next !== null
  }))
type Followers = Effect.Effect.Success<ReturnType<typeof followersOf>>

/** Pages listed; further ones are counted. */
const shownPages = 8

interface LostProps {
  readonly followers: Followers
  readonly one?: boolean
}

const Unsourced = ({ followers: { more, pages }, one }: LostProps) =>
  pages.length === 0 ? <li>No component of a status page follows {one === true ? "it" : "them"}.</li> : (
    <li>
      Components that follow {one === true ? "it" : "them"} lose this source and may keep their last status:
      <ul class="bullets">
        {pages.slice(0, shownPages).map(({ components, name }) => <li>On {name}: {named(components)}</li>)}
        {pages.length > shownPages ? <li>On {counted(pages.length - shownPages, "more page", "more pages")}</li> : null}
        {more ? <li>On more pages than are listed at once</li> : null}
      </ul>
    </li>
  )

const Lost = ({ followers, one = false }: LostProps) => (
  <ul class="bullets">
    <li>{one ? "Its" : "Their"} checks, evidence, uptime and latency history. This cannot be undone.</li>
    <Unsourced followers={followers} one={one} />
    <li>{one ? "Its" : "Their"} open incidents are closed. Incidents, updates and postmortems stay.</li>
    <li>Heartbeat addresses stop working: jobs that ping them get an error.</li>
  </ul>
)

const Many = ({ followers, rows, what }: {
  readonly rows: ReadonlyArray<BulkRow>
  readonly followers: Followers
  readonly what: string
}) => (
  <Panel id="lost" title="What will be lost">
    <Lost followers={followers} />
    <details open={rows.length <= 20}>
      <summary>{what}</summary>
      <ul class="bullets">{rows.map(({ name }) => <li>{name}</li>)}</ul>
    </details>
    <BulkForm id="delete" then="/app/monitors">
      <BulkRows rows={rows} />
      <Buttons>
        <BulkButton
          call="delete_monitors"
          set={{ "count:number": String(rows.length) }}
          said="{count:monitor} deleted"
          look="danger"
        >
          Delete {what}
        </BulkButton>
        <a class="button plain" href="/app/monitors">Cancel</a>
      </Buttons>
    </BulkForm>
  </Panel>
)

const nothingSelected = (
  <section class="panel">
    <Empty title="No monitor selected" text="Select monitors in the list first.">
      <a class="button" href="/app/monitors">Go to the list</a>
    </Empty>
  </section>
)

export const deleteMonitorsView = view("/app/monitors/delete", "monitors", function*({ submitted }) {
  const rows = rowsOf(submitted?.typed.get("_row") ?? [])
  const crumbs = [["/app/monitors", "Monitors"]] as const
  const title = "Delete monitors"
  if (rows.length === 0) return { title, head: { crumbs }, body: nothingSelected }
  const followers = yield* followersOf(rows.map(({ id }) => id))
  const what = counted(rows.length, "monitor")
  return { title, head: { title: `Delete ${what}?`, crumbs }, body: <Many rows={rows} followers={followers} what={what} /> }
})

export const deleteMonitorView = view("/app/monitors/:id/delete", "monitors", function*({ id }) {
  const { name, stats } = yield* read("get_monitor", { id, checks: 0 })
  const followers = yield* followersOf([id])
  return {
    title: `Delete ${name}`,
    head: { title: `Delete ${name}?`, crumbs: [["/app/monitors", "Monitors"], [`/app/monitors/${id}`, name]] },
    body: (
      <Panel id="lost" title="What will be lost">
        {stats.checks === 0 ? null : <p>It made {counted(stats.checks, "check")} in the last 24 hours alone.</p>}
        <Lost followers={followers} one />
        <CallForm call="delete_monitor" id="delete" fixed={{ id }} then="/app/monitors" said={`${name} deleted`}>
          <Submit look="danger" cancel={`/app/monitors/${id}`}>Delete {name}</Submit>
        </CallForm>
      </Panel>
    )
  }
})
