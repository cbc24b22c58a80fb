import './compile-cache.ts';

// What is imported statically is compiled before the cache is there.
await import('./service.ts');
