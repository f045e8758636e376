/** How a job reports to a heartbeat monitor, ready to copy. */
import { jobSnippets } from "../../../domain/monitor/snippets/JobSnippets.ts"
import { Panel } from "../../design/Parts.tsx"
import type { MonitorDetail } from "./MonitorHead.tsx"

export const HeartbeatSnippets = ({ monitor: { periodSec, pingUrl, schedule, timezone } }: {
  readonly monitor: Pick<MonitorDetail, "periodSec" | "pingUrl" | "schedule" | "timezone">
}) => (
  <Panel id="report" title="Report from your job">
    <p class="note">
      The address is a secret: anyone who knows it can report. A failure alerts immediately. A job that only tells that it ran
      needs no more than <code class="breaks">{`curl -fsS ${pingUrl ?? ""}`}</code>.
    </p>
    {jobSnippets({ url: pingUrl ?? "", periodSec, schedule, timezone }).map(([name, text], index) => (
      <details class="more" name="snippet" open={index === 0}>
        <summary>{name}</summary>
        <pre class="block" id={`snippet-${index}`} tabindex={0}>
          {text}
        </pre>
        <button type="button" class="plain tight" data-copy={`snippet-${index}`} hidden>Copy</button>
      </details>
    ))}
  </Panel>
)
