/** How a job reports to a heartbeat monitor, ready to copy. */
import { Panel } from "../../design/Parts.tsx"
import type { MonitorDetail } from "./MonitorHead.tsx"

/** A cron expression near the period. */
const cronOf = (periodSec: number): string => {
  const minutes = Math.max(1, Math.round(periodSec / 60))
  if (minutes < 60) return minutes === 1 ? "* * * * *" : `*/${minutes} * * * *`
  const hours = Math.round(minutes / 60)
  if (hours < 24) return hours === 1 ? "0 * * * *" : `0 */${hours} * * *`
  return "0 3 * * *"
}

interface Urls {
  readonly ping: string
  readonly fail: string
  readonly periodSec: number
}

const crontab = ({ fail, periodSec, ping }: Urls): string =>
  `${
    cronOf(periodSec)
  } if /usr/local/bin/job; then curl -fsS -m 10 --retry 3 -o /dev/null ${ping}; else curl -fsS -m 10 --retry 3 -o /dev/null -X POST ${fail}; fi`

const shell = ({ fail, ping }: Urls): string =>
  `#!/bin/sh
start=$(date +%s)
if /usr/local/bin/job; then
  curl -fsS -m 10 --retry 3 -X POST ${ping} \\
    -H 'Content-Type: application/json' -d "{\\"durationMs\\": $(( ($(date +%s) - start) * 1000 ))}"
else
  curl -fsS -m 10 --retry 3 -X POST ${fail}
fi`

const python = ({ fail, ping }: Urls): string =>
  `import json, time, urllib.request

def ping(url, **report):
    data = json.dumps(report).encode()
    headers = {"Content-Type": "application/json"}
    urllib.request.urlopen(urllib.request.Request(url, data, headers), timeout=10)

start = time.monotonic()
try:
    job()
    ping("${ping}", durationMs=round((time.monotonic() - start) * 1000))
except Exception as error:
    ping("${fail}", message=str(error)[:500])
    raise`

const node = ({ fail, ping }: Urls): string =>
  `const ping = (url, report) =>
  fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(report),
    signal: AbortSignal.timeout(10_000)
  })

const start = performance.now()
try {
  await job()
  await ping("${ping}", { durationMs: Math.round(performance.now() - start) })
} catch (error) {
  await ping("${fail}", { message: String(error).slice(0, 500) })
  throw error
}`

const gitHubActions = ({ fail, ping }: Urls): string =>
  `# Add the URLs as secrets of the repository.
- name: Report success
  if: success()
  run: curl -fsS -m 10 --retry 3 "$PING_URL"
  env:
    PING_URL: \${{ secrets.PING_URL }} # ${ping}
- name: Report failure
  if: failure()
  run: curl -fsS -m 10 --retry 3 -X POST "$FAIL_URL"
  env:
    FAIL_URL: \${{ secrets.FAIL_URL }} # ${fail}`

const kubernetes = ({ fail, periodSec, ping }: Urls): string =>
  `apiVersion: batch/v1
kind: CronJob
metadata:
  name: job
spec:
  schedule: "${cronOf(periodSec)}"
  jobTemplate:
    spec:
      template:
        spec:
          restartPolicy: Never
          containers:
            - name: job
              image: example/job # with a shell and curl
              command: ["/bin/sh", "-c"]
              args:
                - |
                  if /usr/local/bin/job; then curl -fsS -m 10 --retry 3 ${ping}
                  else curl -fsS -m 10 --retry 3 -X POST ${fail}; exit 1; fi`

const systemdTimer = ({ fail, periodSec, ping }: Urls): string =>
  `# /etc/systemd/system/job.service
[Service]
Type=oneshot
ExecStart=/usr/local/bin/job
ExecStopPost=/bin/sh -c 'if [ "$SERVICE_RESULT" = success ]; then curl -fsS -m 10 --retry 3 ${ping}; else curl -fsS -m 10 --retry 3 -X POST ${fail}; fi'

# /etc/systemd/system/job.timer
[Timer]
OnUnitActiveSec=${periodSec}s
OnBootSec=1min

[Install]
WantedBy=timers.target`

const snippets: ReadonlyArray<readonly [name: string, text: (urls: Urls) => string]> = [
  ["crontab", crontab],
  ["Shell", shell],
  ["Python", python],
  ["Node", node],
  ["GitHub Actions", gitHubActions],
  ["Kubernetes", kubernetes],
  ["systemd timer", systemdTimer]
]

export const HeartbeatSnippets = ({ monitor: { failUrl, periodSec, pingUrl } }: {
  readonly monitor: Pick<MonitorDetail, "failUrl" | "periodSec" | "pingUrl">
}) => (
  <Panel id="report" title="Report from your job">
    <p class="note">The address is a secret: anyone who knows it can report. A failure alerts immediately.</p>
    {snippets.map(([name, text], index) => (
      <details class="more" name="snippet" open={index === 0}>
        <summary>{name}</summary>
        <pre class="block" id={`snippet-${index}`} tabindex={0}>
          {text({ ping: pingUrl ?? "", fail: failUrl ?? "", periodSec: periodSec ?? 3600 })}
        </pre>
        <button type="button" class="plain tight" data-copy={`snippet-${index}`} hidden>Copy</button>
      </details>
    ))}
  </Panel>
)
