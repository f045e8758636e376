/** How users subscribe. */
import { command, list, type PeoplePage, section, steps, text } from "./Page.ts"

export const subscribers: PeoplePage = {
  slug: "subscribers",
  title: "Subscribers",
  lead: "Your users choose what they hear about, and how.",
  sections: (baseUrl) => [
    section(
      "subscribe",
      "What a visitor does",
      steps(
        [
          "/s/:page/subscribe",
          "**Subscribe** leads to one page: **How to reach you** is mail, Slack, Discord or a webhook, **What to hear about** is the kinds " +
          "of news, and **Components** is the parts of your service."
        ],
        [
          "/s/:page/subscribe",
          "A subscription by mail begins when the visitor presses the button behind the link in the first mail."
        ]
      ),
      list(
        "Incidents: when one opens, each public update, and its end.",
        "Maintenance: when it is announced, begins and ends.",
        "Postmortems: what you publish after the end of an incident.",
        "Status changes of single components: for webhooks only."
      ),
      text("Each mail has the name, logo and colours of the page, and links to change or end the subscription.")
    ),
    section(
      "offer",
      "What you offer",
      steps(
        ["/app/pages/:page/settings", "Under **Visitors may subscribe by**, switch off what you do not want."],
        ["/app/pages/:page/subscribers", "The list shows who subscribed, how, and to what. **Status** filters it."]
      )
    ),
    section(
      "terminal",
      "From a terminal",
      command("Subscribe an address to incidents only", baseUrl, "/public/pages/$PAGE/subscribers", {
        type: "email",
        email: "ada@example.com",
        kinds: ["incidents"]
      }),
      command("List the subscribers", baseUrl, "/pages/$PAGE/subscribers")
    )
  ]
}
