/** A CycloneDX document of the packages that the bundle may contain. */
export const npmContents: () => {
  readonly components: ReadonlyArray<{ readonly group?: string; readonly name: string; readonly version: string }>
}
interface Dependency {
  readonly name: string
  readonly uri?: string
  readonly digest?: Readonly<Record<string, string>>
}
/** An in-toto statement about the files of a folder. */
export const provenanceOf: (folder: string, env: { readonly COMMIT?: string; readonly NODE_IMAGE?: string }) => {
  readonly subject: ReadonlyArray<{ readonly name: string; readonly digest: Readonly<Record<string, string>> }>
  readonly predicate: { readonly buildDefinition: { readonly resolvedDependencies: ReadonlyArray<Dependency> } }
}
