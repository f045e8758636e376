/** How a status page is made. */
import { command, list, type PeoplePage, section, steps, text } from "./Page.ts"

export const statusPage: PeoplePage = {
  slug: "status-page",
  title: "A status page",
  lead: "Your users see what works, at your own address and in your colours.",
  sections: (baseUrl) => [
    section(
      "create",
      "Create it",
      steps(
        ["/app/pages/new", "Type the **Name**, and press **Create page**."],
        [
          "/app/pages/:page/components",
          "Under **New component**, name a part of your service as users know it, and choose the **Monitors** that it follows. Press " +
          "**Add component**."
        ],
        ["/app/pages/:page", "Set the look: preset, colours and logos. **View the page** opens it as visitors see it."]
      ),
      text("Incidents of its monitors appear by themselves, in words that name no hosts and no errors.")
    ),
    section(
      "large",
      "A page with many components",
      list(
        "Put them into groups. On a page of more than 20 components, a group that works is folded, and one with a problem is open.",
        "Visitors find a component by typing a part of its name, and the status stays in sight while they scroll.",
        "Printed, or saved as PDF, the page shows everything."
      ),
      steps(["/app/pages/:page/components", "**New group** makes a group. A component's own page says which one it is in."])
    ),
    section(
      "domain",
      "At your own address",
      steps([
        "/app/pages/:page/domain",
        "Type the domain, press **Save domain**, and set the DNS records that the page lists. Belltower verifies them."
      ])
    ),
    section(
      "terminal",
      "From a terminal",
      command("Create the page", baseUrl, "/pages", { name: "Acme Cloud" }),
      text("`PAGE` is the last part of its address, such as `acme-cloud`."),
      command("Read it as JSON, as programs do", baseUrl, "/public/pages/$PAGE")
    )
  ]
}
