/** The first page of the guide: from nothing to a monitor that checks. */
import { command, list, type PeoplePage, section, steps, text } from "./Page.ts"

export const firstMonitor: PeoplePage = {
  slug: "first-monitor",
  title: "Your first monitor",
  lead: "In a minute, Belltower checks an address of yours and opens an incident when it fails.",
  sections: (baseUrl) => [
    section(
      "create",
      "Create it",
      steps(
        [
          "/app/monitors/new",
          "Type the address that must answer under **URL**. A page that says whether the whole service is healthy is better than the " +
          "home page."
        ],
        [
          "/app/monitors/new",
          "Press **Run now without saving** to see what a check sees: status, time, certificate. Nothing is stored."
        ],
        ["/app/monitors/new", "Press **Create monitor**. The first result comes within seconds."],
        [
          "/app/monitors/:monitor/start",
          "The next page asks the two questions that matter now: **Choose where alerts go** and **Tell your users**. You can answer " +
          "both later."
        ]
      ),
      text(
        "The other kinds are a click away at the top of the form: ports, DNS, WebSocket, gRPC, scripts, a real browser and cron jobs."
      )
    ),
    section(
      "states",
      "What the states mean",
      list(
        "Pending: the first check has not finished.",
        "Up: the last check was good.",
        "Degraded: it answers, but slowly, or its certificate expires soon, or a softer assertion fails.",
        "Down: it failed, and failed again when it was checked a second time. An incident opens, and alerts go out.",
        "Paused: nobody checks."
      ),
      text(
        "One failed check alerts nobody. By default two in a row do, and the second comes 10 to 30 seconds after the first. With several " +
          "regions, more than half of them have to see the failure."
      )
    ),
    section(
      "terminal",
      "The same from a terminal",
      text(
        "Make a key at [API keys](/app/keys) and store it: `KEY=bell_live_...`. Every view also shows what it does as API calls."
      ),
      command("Create the monitor", baseUrl, "/monitors", { name: "Shop", url: "https://shop.example.com/health" }),
      command("See its state", baseUrl, "/monitors")
    )
  ]
}
