package dev.oncebox.runtime;

import java.util.Comparator;
import java.util.List;
import java.util.Set;
import org.apache.camel.CamelContext;
import org.apache.camel.Route;

/** The routes that take nothing from outside: what is in the ledger already goes its way, and nothing new comes in. */
final class InnerRoutes {

    private static final String LEDGER = "ledger";
    private static final Set<String> INNER = Set.of("direct", "seda", LEDGER);

    private InnerRoutes() {}

    /** Starts them, those that take work out of the ledger last. */
    static void start(CamelContext context) throws Exception {
        List<Route> inner = context.getRoutes().stream()
                .filter(route -> INNER.contains(scheme(route)))
                .sorted(Comparator.comparing(route -> scheme(route).equals(LEDGER)))
                .toList();
        for (Route route : inner) {
            context.getRouteController().startRoute(route.getRouteId());
        }
    }

    private static String scheme(Route route) {
        String uri = route.getEndpoint().getEndpointBaseUri();
        int colon = uri.indexOf(':');
        return colon < 0 ? uri : uri.substring(0, colon);
    }
}
