/** Creates a monitor: its kind first, then the form of that kind. */
import { Effect, Schema } from "effect"
import { MonitorKind } from "../../../../schema/monitor/MonitorKind.ts"
import { Head } from "../../design/Parts.tsx"
import { view } from "../../frame/View.ts"
import { Visit } from "../../frame/Visit.ts"
import { NoWorkspace } from "../account/NoWorkspace.tsx"
import { kindForms } from "./form/KindForms.ts"
import { MonitorForm } from "./form/MonitorForm.tsx"
import { readFormChoices } from "./FormChoices.ts"
import { kindNames } from "./KindNames.ts"

const isKind = Schema.is(MonitorKind)

const Kinds = ({ chosen }: { readonly chosen: MonitorKind }) => (
  <nav class="kinds" aria-label="Kinds of monitors">
    {MonitorKind.literals.map((kind) => (
      <a href={`/app/monitors/new?kind=${kind}`} data-carry {...(kind === chosen ? { "aria-current": "page" as const } : {})}>
        {kindNames[kind]}
      </a>
    ))}
  </nav>
)

const newMonitor = Effect.gen(function*() {
  const { query, workspace } = yield* Visit
  if (workspace === null) return { title: "New monitor", body: <NoWorkspace /> }
  const asked = query.get("kind")
  const kind = isKind(asked) ? asked : "http"
  const choices = yield* readFormChoices(null)
  return {
    title: `New ${kindNames[kind]} monitor`,
    body: (
      <>
        <Head title="New monitor" crumbs={[["/app/monitors", "Monitors"]]} note={kindForms[kind].about} />
        <Kinds chosen={kind} />
        <MonitorForm kind={kind} monitor={null} choices={choices} />
      </>
    )
  }
})

export const newMonitorView = view("/app/monitors/new", "monitors", newMonitor)
