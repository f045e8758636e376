/** Who is paged when, and how to try it. */
import { command, list, type PeoplePage, section, steps, text } from "./Page.ts"

export const escalation: PeoplePage = {
  slug: "escalation",
  title: "Escalation",
  lead: "An outage that nobody takes reaches the next person, and you have tried that it does.",
  sections: (baseUrl) => [
    section(
      "policy",
      "Write a policy",
      steps(
        [
          "/app/escalation/new",
          "Under **Who is paged**, the first level is paged immediately: a schedule, a person or a channel."
        ],
        [
          "/app/escalation/new",
          "The next level is paged after its **Time without an acknowledgement**. **Repeat the levels** begins again at the first."
        ],
        [
          "/app/escalation/new",
          "**Which incidents** chooses monitors and pages, or all that no other policy has. Press **Create policy**."
        ]
      ),
      text("Acknowledging ends the escalation: in the dashboard, by the link of a mail, or by the button of a push.")
    ),
    section(
      "drill",
      "Try it before you need it",
      steps([
        "/app/on-call",
        "Under **Rehearse an incident**, press **Start the drill**: its receipt says when each message left and arrived."
      ]),
      list(
        "Do it once with each person, before their first turn.",
        "Do it again after a change of phone."
      )
    ),
    section(
      "night",
      "What happens at night",
      text(
        "The page names what is broken and since when, and its link opens the incident: what failed, who was paged, and what happens next. " +
          "Acknowledge there. If you cannot help, hand it over or escalate."
      )
    ),
    section("terminal", "From a terminal", command("List the policies", baseUrl, "/escalation-policies"))
  ]
}
