/** Suggests a path for a request to one that does not exist: one that matches other services' paths, or the nearest. */
import { nearest } from "../../domain/tools/text/Nearest.ts"

/** The parts of a route that identify it. */
export interface RoutePattern {
  readonly method: string
  /** In the router's syntax: `/api/v1/monitors/:id`. */
  readonly path: string
}

const prefix = "/api/v1"

/** A request as other services have it, below any prefix and version. `$1` in the advice is the path's captured part. */
interface Habit {
  readonly methods: ReadonlyArray<string>
  readonly path: RegExp
  /** The route that does this. The habit counts only where it exists. */
  readonly route: RoutePattern
  readonly advice: string
}

const habit = (methods: string, path: RegExp, route: string, advice = `Send ${route.replace(/:\w+/, "$1")}`): Habit => {
  const [method = "", routePath = ""] = route.split(" ")
  return { methods: methods.split(" "), path, route: { method, path: routePath }, advice }
}

const collection = (path: RegExp, name: string) =>
  ["GET", "POST"].map((method) => habit(method, path, `${method} ${prefix}/${name}`))

const monitors = "(?:monitors?|checks|heartbeats?|uptime-checks)"
const update = `PATCH ${prefix}/monitors/:id`

const habits: ReadonlyArray<Habit> = [
  // Pausing, as at healthchecks.io, Cronitor and Uptime Kuma.
  habit(
    "POST PUT GET",
    new RegExp(`^/${monitors}/([^/]+)/pause$`),
    update,
    `Send PATCH ${prefix}/monitors/$1 with {"paused": true}`
  ),
  habit(
    "POST PUT GET",
    new RegExp(`^/${monitors}/([^/]+)/(?:resume|unpause|start)$`),
    update,
    `Send PATCH ${prefix}/monitors/$1 with {"paused": false}`
  ),
  habit(
    "POST PUT GET",
    new RegExp(`^/${monitors}/([^/]+)/(?:run|test|trigger|check-now|checknow)$`),
    `POST ${prefix}/monitors/:id/check`
  ),
  habit("GET", new RegExp(`^/${monitors}/([^/]+)/(?:results?|history|logs|pings|flips)$`), `GET ${prefix}/monitors/:id/checks`),
  // UptimeRobot v2 and v3.
  habit("POST GET", /^\/getMonitors$/i, `GET ${prefix}/monitors`),
  habit("POST", /^\/newMonitor$/i, `POST ${prefix}/monitors`),
  habit("POST", /^\/editMonitor$/i, update, `Send PATCH ${prefix}/monitors/{id}`),
  habit("POST", /^\/deleteMonitor$/i, `DELETE ${prefix}/monitors/:id`, `Send DELETE ${prefix}/monitors/{id}`),
  habit("POST GET", /^\/getAlertContacts$/i, `GET ${prefix}/channels`),
  habit("POST GET", /^\/getPSPs$/i, `GET ${prefix}/pages`),
  ...collection(/^\/(?:checks|uptime-checks|heartbeats?|sites|tests)$/, "monitors"),
  ...collection(/^\/(?:status-?pages?|statuspages|psps)$/, "pages"),
  ...collection(/^\/(?:alert[-_]?(?:channels?|contacts?)|notifications?|integrations?|webhooks?|contacts?)$/, "channels"),
  habit("GET", /^\/(?:me|user|account|whoami|profile)$/, `GET ${prefix}/agent/whoami`),
  habit("POST", /^\/(?:sign-?up|register|bootstrap|accounts?|workspaces?|users)$/, `POST ${prefix}/agent/bootstrap`),
  habit("POST GET", /^\/(?:keys|api-?keys?|tokens?)$/, `POST ${prefix}/api-keys`),
  habit("GET", /^\/(?:incidents?|outages?|alerts?|logs?)$/, `GET ${prefix}/incidents`),
  habit("POST GET HEAD", /^\/ping\/([^/]+)$/, "POST /hb/:token")
]

/** Other services' prefixes: `/api`, a version, or ours. */
const otherPrefix = /^(?:\/api)?(?:\/v\d+(?:\.\d+)?)?(?=\/)/

/** Longer paths and segments are not typing errors. */
const longestPath = 200
const longestSegment = 32

const segmentsOf = (path: string): ReadonlyArray<string> => path.split("/").filter((segment) => segment !== "")

const isParameter = (segment: string): boolean => segment.startsWith(":")

interface OwnRoute {
  readonly method: string
  readonly segments: ReadonlyArray<string>
}

/** The path of a route with each word of `path` replaced by the nearest that a route has there, and its parameters as given. */
const nearestPath = (routes: ReadonlyArray<OwnRoute>, path: string): string | null => {
  const given = segmentsOf(path)
  const possible = routes.map(({ segments }) => segments).filter(({ length }) => length === given.length)
  const meant = given.map((segment, index) =>
    segment.length > longestSegment
      ? null
      : nearest(segment, possible.map((words) => words[index] ?? "").filter((word) => !isParameter(word)))
  )
  const route = possible.find((words) => words.every((word, index) => isParameter(word) || word === meant[index]))
  if (route === undefined) return null
  return `${prefix}/${route.map((word, index) => (isParameter(word) ? given[index] ?? "" : word)).join("/")}`
}

/** Builds the advice for the routes of an app; null where nothing is near. */
export const makePathAdvice = (routes: ReadonlyArray<RoutePattern>) => {
  const known = habits.filter(({ route }) => routes.some(({ method, path }) => method === route.method && path === route.path))
  const own: ReadonlyArray<OwnRoute> = routes
    .filter(({ path }) => path.startsWith(`${prefix}/`))
    .map(({ method, path }) => ({ method, segments: segmentsOf(path.slice(prefix.length)) }))

  return (method: string, path: string): string | null => {
    if (path.length > longestPath) return null
    const below = path.replace(otherPrefix, "").replace(/\/$/, "")
    for (const { advice, methods, path: pattern } of known) {
      const match = methods.includes(method) ? pattern.exec(below) : null
      if (match !== null) return advice.replace("$1", () => match[1] ?? "")
    }
    const meant = nearestPath(own.filter((route) => route.method === method), below) ?? nearestPath(own, below)
    // The address itself comes back if it is right but for its escapes.
    return meant === null || meant === path ? null : `Did you mean ${meant}?`
  }
}
