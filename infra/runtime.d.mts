export declare const nodeFlags: ReadonlyArray<string>
export declare const nodeEnvironment: Readonly<Record<string, string>>
export declare const judgeNode: (found: {
  readonly installed: string | null
  readonly least: string
  readonly path: string | null
  readonly pinned: string
  readonly place: string
  readonly version: string
}) => { readonly level: "info" | "warning" | "refusal"; readonly text: string }
