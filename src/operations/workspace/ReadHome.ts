/** Reads the monitors, status pages and incidents for a person's home page and for dashboard links. */
import { DateTime, Effect, Option } from "effect"
import { NotFound } from "../../../schema/Errors.ts"
import { IncidentId, type WorkspaceId } from "../../../schema/Ids.ts"
import type { MyWorkspace } from "../../../schema/people/Person.ts"
import type { PersonIdentity } from "../../../schema/people/PersonIdentity.ts"
import { BaseUrl } from "../../links/BaseUrl.ts"
import { linksFrom } from "../../links/Links.ts"
import { Incidents } from "../../store/incident/Incidents.ts"
import { MonitorPages } from "../../store/monitor/MonitorPages.ts"
import { Monitors } from "../../store/monitor/Monitors.ts"
import { Pages } from "../../store/page/Pages.ts"
import { PersonWorkspaces } from "../people/PersonWorkspaces.ts"

/** Items per list on the home page. */
const maxListed = 100

const notFound = (what: string) => new NotFound({ message: `No such ${what} in your workspaces` })

export class ReadHome extends Effect.Service<ReadHome>()("belltower/ReadHome", {
  effect: Effect.gen(function*() {
    const workspaces = yield* PersonWorkspaces
    const monitors = yield* Monitors
    const monitorPages = yield* MonitorPages
    const pages = yield* Pages
    const incidents = yield* Incidents
    const links = linksFrom(yield* BaseUrl)

    const holdings = Effect.fn("ReadHome.holdings")(function*(current: MyWorkspace) {
      const request = { state: null, tag: null, after: "", limit: maxListed }
      const found = yield* monitorPages.read(current.id, request, DateTime.toDateUtc(yield* DateTime.now))
      return {
        monitors: found.monitors.map(({ id, kind, name, state }) => ({ id, kind, name, state })),
        pages: (yield* pages.list(current.id)).slice(0, maxListed).map(({ name, slug }) => ({ name, slug }))
      }
    })

    /** The person's workspaces, with the contents of the current one. */
    const home = Effect.fn("ReadHome.home")(function*(person: PersonIdentity) {
      const mine = yield* workspaces.list(person)
      const current = mine.find((workspace) => workspace.current)
      const held = current === undefined ? { monitors: [], pages: [] } : yield* holdings(current)
      return { workspaces: mine, ...held }
    })

    /** Searches the person's workspaces in order, because a link does not name its workspace. */
    const inMine = Effect.fn("ReadHome.inMine")(
      function*<A>(
        person: PersonIdentity,
        what: string,
        find: (workspaceId: WorkspaceId) => Effect.Effect<Option.Option<A>>
      ) {
        for (const { id, name: workspace } of yield* workspaces.list(person)) {
          const found = yield* find(id)
          if (Option.isSome(found)) return { workspace, found: found.value }
        }
        return yield* notFound(what)
      }
    )

    return {
      home,
      monitor: (person: PersonIdentity, id: string) =>
        inMine(person, "monitor", (workspaceId) => Effect.orDie(monitors.find(workspaceId, id))),
      incident: (person: PersonIdentity, id: string) =>
        inMine(person, "incident", (workspaceId) => incidents.find(workspaceId, IncidentId.make(id), links.incident))
    }
  })
}) {}
