/**
 * The shape of a page of the guide for people. Its texts can contain `code`, **labels** of the dashboard and [links](/path); a test
 * looks each of them up in the product.
 */

export interface Step {
  /** Where the labels of the text are. A path with `:name` is that of a resource, which the reader opens from a list. */
  readonly at: string
  readonly text: string
}

export type PeopleBlock =
  | { readonly _tag: "Text"; readonly text: string }
  | { readonly _tag: "List"; readonly items: ReadonlyArray<string> }
  | { readonly _tag: "Steps"; readonly steps: ReadonlyArray<Step> }
  /** A command for a shell, in which `KEY` is an API key. */
  | { readonly _tag: "Command"; readonly title: string; readonly command: string }

export interface PeopleSection {
  readonly id: string
  readonly title: string
  readonly blocks: ReadonlyArray<PeopleBlock>
}

export interface PeoplePage {
  readonly slug: string
  readonly title: string
  /** One sentence: what the reader has at the end. */
  readonly lead: string
  readonly sections: (baseUrl: string) => ReadonlyArray<PeopleSection>
}

export const section = (id: string, title: string, ...blocks: ReadonlyArray<PeopleBlock>): PeopleSection => ({
  id,
  title,
  blocks
})
export const text = (content: string): PeopleBlock => ({ _tag: "Text", text: content })
export const list = (...items: ReadonlyArray<string>): PeopleBlock => ({ _tag: "List", items })
export const steps = (...all: ReadonlyArray<readonly [at: string, text: string]>): PeopleBlock => ({
  _tag: "Steps",
  steps: all.map(([at, content]) => ({ at, text: content }))
})

/** A call of the interface by curl. */
export const command = (title: string, baseUrl: string, path: string, input?: object): PeopleBlock => ({
  _tag: "Command",
  title,
  command: [
    `curl -s ${baseUrl}/api/v1${path} -H "authorization: Bearer $KEY"`,
    ...(input === undefined ? [] : [`  -H 'content-type: application/json' -d '${JSON.stringify(input)}'`])
  ].join(" \\\n")
})

/** Any other command. */
export const shell = (title: string, lines: string): PeopleBlock => ({ _tag: "Command", title, command: lines })
