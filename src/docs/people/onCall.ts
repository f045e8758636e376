/** Who is on call. */
import { command, list, type PeoplePage, section, steps, text } from "./Page.ts"

export const onCall: PeoplePage = {
  slug: "on-call",
  title: "On call",
  lead: "Somebody is always responsible, can be reached, and knows when the turn ends.",
  sections: (baseUrl) => [
    section(
      "people",
      "Bring the people in",
      steps(
        ["/app/members", "Under **Invite someone**, type an address and press **Create invitation**."],
        [
          "/app/contact",
          "Everybody has their own **Contact methods**: email, push on a phone, Slack, Telegram, Discord, SMS or a call, whichever the " +
          "operator has set up."
        ],
        [
          "/app/contact",
          "**Notification rules** set their order, such as push first and a call after five minutes. **Send a test to each** proves that each " +
          "arrives."
        ]
      )
    ),
    section(
      "schedule",
      "Make a schedule",
      steps(
        [
          "/app/on-call/new",
          "Under **Rotation**, choose the people in order. **Turns** are weekly or daily, and **Hand-off on** says when one ends. Press " +
          "**Create schedule**."
        ],
        [
          "/app/on-call/:schedule",
          "**Add an override** puts somebody else on call: choose who and when, and press **Add override**."
        ],
        ["/app/on-call/:schedule", "**Calendar feed** is an address for your calendar program."]
      ),
      list(
        "Layers put other people on call at nights, at weekends or in another time zone.",
        "Times at which nobody is on call are marked."
      ),
      text("[On call](/app/on-call) shows who has it now.")
    ),
    section(
      "swap",
      "Somebody cannot take their turn",
      steps(
        [
          "/app/on-call/:schedule",
          "Under **Next shifts**, **Take over** makes a shift yours, from now on, and **Swap with mine** exchanges it for your next one."
        ],
        [
          "/app/on-call/:schedule",
          "**Hand over or swap** below a shift gives it to somebody else: choose who, and press **Hand over**. To exchange it for another " +
          "shift, choose that one and press **Swap**."
        ]
      ),
      list(
        "Any member may do this, also for two others. Everybody whose shifts change is mailed.",
        "Each change is an override: it is listed below the calendar, and removing it gives the shift back."
      )
    ),
    section("terminal", "From a terminal", command("Who is on call?", baseUrl, "/oncall/current"))
  ]
}
