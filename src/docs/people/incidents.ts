/** How a team works on an incident and informs others about it. */
import { command, list, type PeoplePage, section, steps, text } from "./Page.ts"

export const incidents: PeoplePage = {
  slug: "incidents",
  title: "Incidents",
  lead: "From the first alert to the postmortem, with your users informed all the way.",
  sections: (baseUrl) => [
    section(
      "take",
      "Take it",
      text("A monitor that goes down opens an incident, and its alert has a link to it. You can open one yourself, too."),
      steps(
        ["/app/incidents", "**New incident** opens one for what no monitor sees."],
        [
          "/app/incidents/new",
          "Say what users notice in **Title** and **First update**, choose the components, and press **Open incident**."
        ],
        ["/app/incidents/:incident", "**Acknowledge** says that you are on it: nobody else is paged."]
      )
    ),
    section(
      "tell",
      "Tell your users",
      steps(
        [
          "/app/incidents/:incident",
          "Under **Post an update**, **Who reads it** decides between your team and the public. **Preview page and mail** shows both as " +
          "readers get them."
        ],
        ["/app/incidents/:incident", "When it is over, **Resolve** with a last update."],
        ["/app/incidents/templates", "Texts that you need again are templates: **Create template**."]
      ),
      list(
        "Say what fails for users, not which machine.",
        "Say when the next update comes, and keep to it.",
        "An update every 30 minutes is enough, even if it says that nothing changed."
      )
    ),
    section(
      "learn",
      "Learn from it",
      steps([
        "/app/incidents/:incident/postmortem",
        "**Draft from the timeline** begins the postmortem with what happened. The **Public summary** is what your users read, once you " +
        "publish it."
      ])
    ),
    section(
      "terminal",
      "From a terminal",
      command("Open an incident", baseUrl, "/incidents", {
        title: "Payments are slow",
        message: "We are looking into it.",
        impact: "minor"
      }),
      text("`INCIDENT` is the `id` in its answer."),
      command("Post an update", baseUrl, "/incidents/$INCIDENT/updates", {
        message: "We found the cause.",
        status: "identified"
      }),
      command("Resolve it", baseUrl, "/incidents/$INCIDENT/resolve", { message: "Payments are as fast as before." })
    )
  ]
}
