/** Types of the modules inside pg that `StatementBatch.ts` uses; `@types/pg` has none of them. */
declare module "pg/lib/utils.js" {
  interface Utils {
    /** A parameter as the protocol takes it. Throws for what cannot be written. */
    readonly prepareValue: (value: unknown) => string | Buffer | null
  }
  const utils: Utils
  export default utils
}

declare module "pg/lib/query.js" {
  /** A query that a client sends; its methods are called while the answer arrives. */
  export default class Query {
    constructor(text: string)
  }
}
