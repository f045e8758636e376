/** How to read a monitor. */
import { command, list, type PeoplePage, section, steps, text } from "./Page.ts"

export const whyDown: PeoplePage = {
  slug: "why-is-it-down",
  title: "Why is it down?",
  lead: "You find what a check saw, why it counted, and whether other settings would have been better.",
  sections: (baseUrl) => [
    section(
      "look",
      "Look at a monitor",
      steps(
        ["/app/monitors", "Open a monitor. The list can be searched by name and address, and filtered by state and tag."],
        [
          "/app/monitors/:monitor",
          "The top says the state and since when. **Run check now** checks outside of the schedule, from all regions."
        ],
        [
          "/app/monitors/:monitor/checks",
          "Under **Checks** is every check. A failed one keeps its evidence: the answer with its headers and the beginning of its body, " +
          "and how long each phase took."
        ],
        [
          "/app/monitors/:monitor/explain",
          "Under **Explain and simulate**, **Why this state** says which results led to it, region by region."
        ]
      )
    ),
    section(
      "settings",
      "Find better settings",
      steps([
        "/app/monitors/:monitor/explain",
        "**Try other settings** runs the stored checks through other thresholds. **Simulate** says which outages they would have " +
        "reported, and which not."
      ]),
      list(
        "False alarms at night: raise the number of failures before down, or check from more regions.",
        "Alerts come late: check more often.",
        "It is up, but nobody can buy: add an assertion on the body, or write a script or a browser check."
      ),
      text("Nothing changes until you change it under Edit.")
    ),
    section(
      "terminal",
      "From a terminal",
      text("`MONITOR` is the id in the address of the monitor, such as `mon_01...`."),
      command("Explain the state", baseUrl, "/monitors/$MONITOR/explain")
    )
  ]
}
