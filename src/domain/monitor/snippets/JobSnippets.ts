/**
 * How a job reports its runs to a heartbeat, ready to paste: its start, and its exit code with what it printed. A report that fails
 * never fails the job.
 */
import type { HeartbeatTarget } from "../../../../schema/monitor/kinds/heartbeat.ts"
import { cronLine, onCalendar } from "./JobRhythm.ts"

/** The secret address of the heartbeat, and when its job runs. */
export interface Job extends Pick<HeartbeatTarget, "periodSec" | "schedule" | "timezone"> {
  readonly url: string
}

const curl = "curl -fsS -m 10 --retry 3 -o /dev/null"

/** A line has no percent sign, which cron reads as the end of the command. */
const reporting = (url: string): string =>
  `r=$(cat /proc/sys/kernel/random/uuid); ${curl} "${url}/start?rid=$r"; o=$(/usr/local/bin/job 2>&1); c=$?; ` +
  `echo "$o" | tail -c 100000 | ${curl} --data-binary @- "${url}/$c?rid=$r"`

const zoneNote = ({ timezone = null }: Job): string =>
  timezone === null ? "" : `# The clock of the machine is in ${timezone}, or cronie reads CRON_TZ=${timezone} above this line.\n`

export const crontabLine = (job: Job): string | null => {
  const line = cronLine(job)
  return line === null ? null : `${zoneNote(job)}${line} ${reporting(job.url)}`
}

const shell = ({ url }: Job): string =>
  `#!/bin/sh
url=${url}
rid=$(date +%s)-$$
log=$(mktemp)
report() { ${curl} "$@" || true; }

report "$url/start?rid=$rid"
/usr/local/bin/job >"$log" 2>&1
code=$?
tail -c 100000 "$log" | report --data-binary @- "$url/$code?rid=$rid"
rm -f "$log"
exit "$code"`

const systemd = (job: Job): string | null => {
  const calendar = onCalendar(job)
  return calendar === null ? null : `# /etc/systemd/system/job.service
[Service]
Type=oneshot
ExecStartPre=-${curl} "${job.url}/start?rid=\${INVOCATION_ID}"
ExecStart=/usr/local/bin/job
ExecStopPost=-/bin/sh -c 'c=fail; [ "$$EXIT_CODE" = exited ] && c=$$EXIT_STATUS; journalctl -o cat _SYSTEMD_INVOCATION_ID=$$INVOCATION_ID | tail -c 100000 | ${curl} --data-binary @- "${job.url}/$$c?rid=$$INVOCATION_ID"'

# /etc/systemd/system/job.timer
[Timer]
OnCalendar=${calendar}

[Install]
WantedBy=timers.target`
}

const kubernetes = (job: Job): string | null => {
  const line = cronLine(job)
  return line === null ? null : `apiVersion: batch/v1
kind: CronJob
metadata:
  name: job
spec:
  schedule: "${line}"
  timeZone: ${job.timezone ?? "Etc/UTC"}
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
                  ${curl} "$PING_URL/start?rid=$HOSTNAME" || true
                  /usr/local/bin/job >/tmp/log 2>&1
                  code=$?
                  cat /tmp/log
                  tail -c 100000 /tmp/log | ${curl} --data-binary @- "$PING_URL/$code?rid=$HOSTNAME" || true
                  exit "$code"
              env:
                - name: PING_URL # better from a Secret
                  value: ${job.url}`
}

const gitHubActions = (job: Job): string | null => {
  const line = cronLine(job)
  return line === null || line.startsWith("@") ?
    null :
    `# .github/workflows/job.yml. Add PING_URL as a secret of the repository: ${job.url}
name: job
on:
  schedule:
    - cron: "${line}" # in UTC
jobs:
  job:
    runs-on: ubuntu-latest
    env:
      PING_URL: \${{ secrets.PING_URL }}
      RUN: \${{ github.run_id }}-\${{ github.run_attempt }}
    steps:
      - uses: actions/checkout@v4
      - run: ${curl} "$PING_URL/start?rid=$RUN" || true
      - run: ./job 2>&1 | tee job.log
        shell: bash
      - if: always()
        run: tail -c 100000 job.log | ${curl} --data-binary @- "$PING_URL/$CODE?rid=$RUN" || true
        env:
          CODE: \${{ job.status == 'success' && '0' || '1' }}`
}

const powerShell = ({ url }: Job): string =>
  `$url = "${url}"
$rid = [guid]::NewGuid()
function Report($path, $log) {
  try {
    Invoke-RestMethod -Method Post -Uri "$url/\${path}?rid=$rid" -Body $log -ContentType "text/plain; charset=utf-8" -TimeoutSec 10 | Out-Null
  } catch { Write-Warning "The report was not sent: $_" }
}

Report "start" ""
$code = 1
try {
  $log = & "C:\\Jobs\\job.exe" 2>&1 | Out-String
  $code = $LASTEXITCODE
} catch { $log = "The job did not start: $_" }
Report $code $log
exit $code`

const python = ({ url }: Job): string =>
  `import traceback
import urllib.request
import uuid

URL, RID = "${url}", uuid.uuid4()


def report(path, log=""):
    try:
        urllib.request.urlopen(f"{URL}/{path}?rid={RID}", log.encode()[-100_000:], timeout=10).close()
    except OSError as error:
        print("The report was not sent:", error)


report("start")
try:
    job()
except BaseException:
    report(1, traceback.format_exc())
    raise
report(0)`

const node = ({ url }: Job): string =>
  `const rid = crypto.randomUUID()
const report = (path, body = "") =>
  fetch(\`${url}/\${path}?rid=\${rid}\`, { method: "POST", body: body.slice(-100_000), signal: AbortSignal.timeout(10_000) })
    .catch((error) => console.warn("The report was not sent:", error.message))

await report("start")
try {
  await job()
} catch (error) {
  await report(1, String(error?.stack ?? error))
  throw error
}
await report(0)`

const go = ({ url }: Job): string =>
  `package main

import (
	"bytes"
	"fmt"
	"log"
	"net/http"
	"os"
	"os/exec"
	"time"
)

var client = &http.Client{Timeout: 10 * time.Second}

func report(path string, output []byte) {
	url := fmt.Sprintf("${url}/%s?rid=%d-%d", path, os.Getpid(), started)
	answer, err := client.Post(url, "text/plain", bytes.NewReader(output))
	if err != nil {
		log.Print("The report was not sent: ", err)
		return
	}
	answer.Body.Close()
}

var started = time.Now().Unix()

func main() {
	report("start", nil)
	job := exec.Command("/usr/local/bin/job")
	output, err := job.CombinedOutput()
	if job.ProcessState == nil {
		report("fail", []byte(err.Error()))
		os.Exit(1)
	}
	code := job.ProcessState.ExitCode()
	if code < 0 {
		code = 1
	}
	report(fmt.Sprint(code), output)
	os.Exit(code)
}`

const php = ({ url }: Job): string =>
  `<?php
$rid = bin2hex(random_bytes(16));
$report = function (string $path, string $log = "") use ($rid): void {
    $options = ["http" => ["method" => "POST", "content" => substr($log, -100000), "timeout" => 10]];
    @file_get_contents("${url}/$path?rid=$rid", false, stream_context_create($options));
};

$report("start");
exec("/usr/local/bin/job 2>&1", $lines, $code);
$report((string) $code, implode("\\n", $lines));
exit($code);`

const snippets: ReadonlyArray<readonly [name: string, text: (job: Job) => string | null]> = [
  ["crontab", crontabLine],
  ["systemd timer", systemd],
  ["Kubernetes", kubernetes],
  ["GitHub Actions", gitHubActions],
  ["Shell", shell],
  ["PowerShell", powerShell],
  ["Python", python],
  ["Node", node],
  ["Go", go],
  ["PHP", php]
]

/** Those that can be written for the job: cron knows no calendar expression, and systemd not every line of cron. */
export const jobSnippets = (job: Job): ReadonlyArray<readonly [name: string, text: string]> =>
  snippets.flatMap(([name, write]) => {
    const text = write(job)
    return text === null ? [] : [[name, text] as const]
  })
