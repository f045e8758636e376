/** When the pings of a heartbeat are expected: the next one in its state, and the next five of a schedule. */
import { Panel } from "../../design/Parts.tsx"
import { Moment } from "../../design/Time.tsx"
import type { AnswerOf } from "../../frame/DashboardApi.ts"
import type { MonitorDetail } from "./MonitorHead.tsx"

export type SchedulePreview = AnswerOf<"preview_schedule">

export const NextPing = ({ monitor: { nextExpectedAt } }: { readonly monitor: MonitorDetail }) =>
  nextExpectedAt === null ? null : (
    <>
      {" "}
      Next ping expected <Moment at={nextExpectedAt} />.
    </>
  )

export const NextPings = ({ schedule: { rule, times }, zone }: { readonly schedule: SchedulePreview; readonly zone: string }) => (
  <Panel id="times" title="Next expected pings">
    {times.length === 0
      ? <p class="note">The schedule has no more times: no ping is expected.</p>
      : (
        <ol class="times">
          {times.map(({ at, local, note }) => (
            <li>
              <Moment at={at} /> <span class="note">({local.slice(0, 16).replace("T", " ")} in {zone})</span>
              {note === null ? null : <>{" "}{note}.</>}
            </li>
          ))}
        </ol>
      )}
    <p class="note">{rule}</p>
  </Panel>
)
