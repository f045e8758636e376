/** The parts of a route that identify it. */
export interface RoutePattern {
  readonly method: string
  /** In the router's syntax: `/api/v1/monitors/:id`. */
  readonly path: string
}
