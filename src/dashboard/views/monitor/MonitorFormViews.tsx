/** Creates a monitor (its kind first, then the form of that kind), and changes one. */
import { Schema } from "effect"
import { MonitorKind } from "../../../../schema/monitor/MonitorKind.ts"
import { read, together, view } from "../../frame/View.ts"
import { noWorkspace } from "../account/NoWorkspace.tsx"
import { kindForms } from "./form/KindForms.ts"
import { MonitorForm, readFormChoices } from "./form/MonitorForm.tsx"

const isKind = Schema.is(MonitorKind)

const Kinds = ({ chosen }: { readonly chosen: MonitorKind }) => (
  <nav class="kinds" aria-label="Kinds of monitors">
    {MonitorKind.literals.map((kind) => (
      <a href={`/app/monitors/new?kind=${kind}`} data-carry aria-current={kind === chosen ? "page" : undefined}>
        {kindForms[kind].name}
      </a>
    ))}
  </nav>
)

export const newMonitorView = view("/app/monitors/new", "monitors", function*({ query, workspace }) {
  if (workspace === null) return noWorkspace("New monitor")
  const asked = query.get("kind")
  const kind = isKind(asked) ? asked : "http"
  const choices = yield* readFormChoices(null)
  return {
    title: `New ${kindForms[kind].name} monitor`,
    head: { title: "New monitor", crumbs: [["/app/monitors", "Monitors"]], note: kindForms[kind].about },
    body: (
      <>
        <Kinds chosen={kind} />
        <MonitorForm kind={kind} monitor={null} choices={choices} />
      </>
    )
  }
})

export const editMonitorView = view("/app/monitors/:id/edit", "monitors", function*({ id }) {
  const [monitor, choices] = yield* together([read("get_monitor", { id, checks: 0 }), readFormChoices(id)])
  return {
    title: `Edit ${monitor.name}`,
    head: {
      crumbs: [["/app/monitors", "Monitors"], [`/app/monitors/${id}`, monitor.name]],
      note: `${kindForms[monitor.kind].name} monitor. The kind cannot change.`
    },
    body: <MonitorForm kind={monitor.kind} monitor={monitor} choices={choices} />
  }
})
