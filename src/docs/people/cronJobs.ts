/** Jobs that report by themselves. */
import { command, list, type PeoplePage, section, shell, steps, text } from "./Page.ts"

export const cronJobs: PeoplePage = {
  slug: "cron-jobs",
  title: "Cron jobs and backups",
  lead: "A job reports after each run, and you are alerted when a report is missing.",
  sections: (baseUrl) => [
    section(
      "create",
      "Create a heartbeat",
      steps(
        [
          "/app/monitors/new?kind=heartbeat",
          "**Expect a ping every** is how often the job runs, and **Grace time** how late it may be. Press **Create monitor**."
        ],
        [
          "/app/monitors/new?kind=heartbeat&by=schedule",
          "Or choose **On a schedule**: **Schedule** is the line of cron or the calendar expression of systemd that starts the job, and " +
          "**Time zone** the zone of that clock. The next five times stand below."
        ],
        [
          "/app/monitors/:heartbeat",
          "**Report from your job** has the lines for **crontab**, **Shell**, **Python**, **GitHub Actions**, **Kubernetes** and others, " +
          "with the address of this monitor."
        ]
      )
    ),
    section(
      "report",
      "Report from the job",
      text("The address needs no key, so keep it secret. `TOKEN` is its last part."),
      shell("It went well", `curl -fsS -m 10 ${baseUrl}/hb/$TOKEN`),
      shell("It failed: this alerts immediately", `curl -fsS -m 10 -X POST ${baseUrl}/hb/$TOKEN/fail`),
      list(
        "A report may say how long the job took: `?durationMs=5400`.",
        "It may say something, which the alert repeats: `?message=disk%20full`."
      )
    ),
    section(
      "terminal",
      "From a terminal",
      command("Create the heartbeat: its answer has the address as pingUrl", baseUrl, "/monitors", {
        name: "Nightly backup",
        schedule: "30 2 * * *",
        timezone: "Europe/Berlin"
      })
    )
  ]
}
