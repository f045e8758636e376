/** Why a monitor is in its state, and what other settings would have made of it. */
import { Effect } from "effect"
import { read, together } from "../../frame/DashboardApi.ts"
import { view } from "../../frame/View.ts"
import { Visit } from "../../frame/Visit.ts"
import { Explained } from "./Explained.tsx"
import { eventsOf, MonitorHead } from "./MonitorHead.tsx"
import { SimulateForm } from "./SimulateForm.tsx"

export const explainView = view(
  "/app/monitors/:id/explain",
  "monitors",
  Effect.gen(function*() {
    const { params } = yield* Visit
    const id = params["id"] ?? ""
    const [monitor, explanation] = yield* Effect.all(
      [read("get_monitor", { id, checks: 0 }), read("explain_monitor", { id })],
      together
    )
    return {
      title: `Why ${monitor.name} is ${monitor.state}`,
      live: eventsOf(monitor),
      body: (
        <>
          <MonitorHead monitor={monitor} here={`/app/monitors/${id}/explain`} />
          <div class="stack">
            <Explained of={explanation} />
            <SimulateForm monitor={monitor} />
          </div>
        </>
      )
    }
  })
)
