import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.en.PorterStemFilter;
import org.apache.lucene.analysis.miscellaneous.ASCIIFoldingFilter;
import org.apache.lucene.analysis.pattern.PatternReplaceFilter;
import org.apache.lucene.analysis.snowball.SnowballFilter;
import org.elasticsearch.Build;
import org.elasticsearch.client.internal.node.NodeClient;
import org.elasticsearch.cluster.metadata.IndexNameExpressionResolver;
import org.elasticsearch.cluster.node.DiscoveryNodes;
import org.elasticsearch.common.io.stream.NamedWriteableRegistry;
import org.elasticsearch.common.settings.ClusterSettings;
import org.elasticsearch.common.settings.IndexScopedSettings;
import org.elasticsearch.common.settings.Settings;
import org.elasticsearch.common.settings.SettingsFilter;
import org.elasticsearch.features.NodeFeature;
import org.elasticsearch.index.analysis.TokenFilterFactory;
import org.elasticsearch.indices.analysis.AnalysisModule.AnalysisProvider;
import org.elasticsearch.plugins.ActionPlugin;
import org.elasticsearch.plugins.AnalysisPlugin;
import org.elasticsearch.plugins.Plugin;
import org.elasticsearch.rest.RestChannel;
import org.elasticsearch.rest.RestController;
import org.elasticsearch.rest.RestHandler;
import org.elasticsearch.rest.RestRequest;
import org.elasticsearch.rest.RestResponse;
import org.elasticsearch.rest.RestStatus;
import org.elasticsearch.xcontent.XContentBuilder;

/**
 * What the tests need of the modules analysis-common and rest-root, which are not on Maven Central, under the
 * names and with the settings that a full distribution gives them.
 */
public final class EssentialsPlugin extends Plugin implements AnalysisPlugin, ActionPlugin {
    @Override
    public Map<String, AnalysisProvider<TokenFilterFactory>> getTokenFilters() {
        return Map.of(
            "asciifolding", filter(settings -> ASCIIFoldingFilter::new),
            "porter_stem", filter(settings -> PorterStemFilter::new),
            "snowball", filter(settings -> in -> new SnowballFilter(in, settings.get("language", "English"))),
            "pattern_replace", AnalysisPlugin.requiresAnalysisSettings(filter(settings -> {
                Pattern pattern = Pattern.compile(settings.get("pattern"));
                String replacement = settings.get("replacement", "");
                return in -> new PatternReplaceFilter(in, pattern, replacement, settings.getAsBoolean("all", true));
            })));
    }

    private interface Configured {
        UnaryOperator<TokenStream> with(Settings settings);
    }

    private static AnalysisProvider<TokenFilterFactory> filter(Configured configured) {
        return (index, environment, name, settings) -> {
            UnaryOperator<TokenStream> made = configured.with(settings);
            return new TokenFilterFactory() {
                @Override
                public String name() {
                    return name;
                }

                @Override
                public TokenStream create(TokenStream in) {
                    return made.apply(in);
                }
            };
        };
    }

    @Override
    public Collection<RestHandler> getRestHandlers(
        Settings settings,
        NamedWriteableRegistry namedWriteables,
        RestController controller,
        ClusterSettings clusterSettings,
        IndexScopedSettings indexScopedSettings,
        SettingsFilter settingsFilter,
        IndexNameExpressionResolver resolver,
        Supplier<DiscoveryNodes> nodes,
        Predicate<NodeFeature> clusterSupports) {
        return List.of(new Root());
    }

    /** {@code GET /}: the name and the version of the server. */
    private static final class Root implements RestHandler {
        @Override
        public List<Route> routes() {
            return List.of(new Route(RestRequest.Method.GET, "/"), new Route(RestRequest.Method.HEAD, "/"));
        }

        @Override
        public void handleRequest(RestRequest request, RestChannel channel, NodeClient client) throws IOException {
            try (XContentBuilder body = channel.newBuilder()) {
                body.startObject().field("name", client.getLocalNodeId()).field("cluster_name", "tests");
                body.startObject("version").field("number", Build.current().version());
                body.field("build_flavor", "default").endObject();
                body.field("tagline", "You Know, for Search").endObject();
                channel.sendResponse(new RestResponse(RestStatus.OK, body));
            }
        }
    }
}
