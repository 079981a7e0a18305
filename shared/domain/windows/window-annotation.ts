/** The annotation by which an object names its windows: `NAME` or `NAMESPACE/NAME`, several with commas. */
export const windowAnnotation = "hubrelay.dev/maintenance-window";
