/** Vite reads the file into the bundle, as a text. */
declare module '*?raw' {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: that is how Vite gives it
  export default text;
}
