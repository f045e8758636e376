/** Planned work. */
import { command, list, type PeoplePage, section, steps } from "./Page.ts"

export const maintenance: PeoplePage = {
  slug: "maintenance",
  title: "Maintenance",
  lead: "Planned work is announced, alerts nobody, and does not count as downtime.",
  sections: (baseUrl) => [
    section(
      "plan",
      "Plan it",
      steps(
        ["/app/maintenance", "**Schedule maintenance** opens the form."],
        [
          "/app/maintenance/new",
          "Say what happens in **Title** and **Announcement**, and when in **Starts** and **Ends**. Choose the pages or the components: " +
          "only what is chosen shows it."
        ],
        [
          "/app/maintenance/new",
          "Choose when subscribers are reminded, such as **A day before**. **Repeat** takes a rule, such as each Sunday."
        ]
      ),
      list(
        "It starts and ends by itself.",
        "While it lasts, the components show maintenance, and their monitors alert nobody."
      )
    ),
    section(
      "mute",
      "Mute without telling anybody",
      steps(["/app/maintenance", "Under **Mute monitors**, choose which and for how long. They are still checked."])
    ),
    section(
      "terminal",
      "From a terminal",
      command("Schedule it for the page in $PAGE", baseUrl, "/maintenance", {
        title: "Database upgrade",
        message: "Orders wait for a minute.",
        scheduledStart: "2031-01-12T02:00:00Z",
        scheduledEnd: "2031-01-12T03:00:00Z"
      })
    )
  ]
}
