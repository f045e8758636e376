/** Changes the settings of a monitor. */
import { Effect } from "effect"
import { Head } from "../../design/Parts.tsx"
import { read, together } from "../../frame/DashboardApi.ts"
import { view } from "../../frame/View.ts"
import { Visit } from "../../frame/Visit.ts"
import { MonitorForm } from "./form/MonitorForm.tsx"
import { readFormChoices } from "./FormChoices.ts"
import { kindNames } from "./KindNames.ts"

const editMonitor = Effect.gen(function*() {
  const { params } = yield* Visit
  const id = params["id"] ?? ""
  const [monitor, choices] = yield* Effect.all([read("get_monitor", { id, checks: 0 }), readFormChoices(id)], together)
  return {
    title: `Edit ${monitor.name}`,
    body: (
      <>
        <Head
          title={`Edit ${monitor.name}`}
          crumbs={[["/app/monitors", "Monitors"], [`/app/monitors/${id}`, monitor.name]]}
          note={`${kindNames[monitor.kind]} monitor. The kind cannot change.`}
        />
        <MonitorForm kind={monitor.kind} monitor={monitor} choices={choices} />
      </>
    )
  }
})

export const editMonitorView = view("/app/monitors/:id/edit", "monitors", editMonitor)
