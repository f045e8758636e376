/** How alerts reach a team. */
import { command, list, type PeoplePage, section, steps, text } from "./Page.ts"

export const alerts: PeoplePage = {
  slug: "alerts",
  title: "Get alerts",
  lead: "Your team hears of an outage where it already works: mail, Slack, Teams, PagerDuty or your own program.",
  sections: (baseUrl) => [
    section(
      "mail",
      "Set a mail server first",
      text("Without one, Belltower keeps its mails and sends none. Everything else works."),
      steps([
        "/app/providers",
        "Fill in **Mail server** and press **Test without saving**: the test sends a mail, or says what is wrong."
      ])
    ),
    section(
      "channel",
      "Make a channel",
      steps(
        ["/app/channels/new", "Choose a kind, such as **Slack**, **Microsoft Teams**, **PagerDuty** or **Webhook**."],
        [
          "/app/channels/new?type=slack",
          "Paste the **Webhook URL**. The page says where to find it. With **Attach to new monitors**, each monitor that you create " +
          "later alerts here."
        ],
        ["/app/channels/new?type=slack", "Press **Create channel**."],
        ["/app/channels/:channel", "Press **Send a test**. The answer of the service is shown beside it."]
      )
    ),
    section(
      "noise",
      "Keep it quiet",
      list(
        "An alert is sent when a monitor goes down, when it is up again, and when it is degraded, each once.",
        "A monitor that flaps sends one report with the number of outages.",
        "While a monitor is down, alerts of those that depend on it wait."
      ),
      steps([
        "/app/channels/:channel",
        "**Quiet hours** hold alerts back and send a summary afterwards. With **Let outages through**, outages still arrive."
      ]),
      text(
        "What was sent, and what the service answered, is at [Deliveries](/app/deliveries). A failed one is tried again for 11 hours."
      )
    ),
    section(
      "terminal",
      "From a terminal",
      command("Make a channel that every new monitor uses", baseUrl, "/channels", {
        name: "Team",
        type: "webhook",
        url: "https://hooks.example.com/belltower",
        isDefault: true
      })
    )
  ]
}
